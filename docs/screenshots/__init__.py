"""The pictures of docs/images: what is on them, how they are driven, how they are taken."""
