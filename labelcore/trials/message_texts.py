"""The generator of messages: sentences with gaps, and words to put into them."""

import random
import re
from dataclasses import dataclass

SPAM_SHARE = 0.35
HARD_SHARE = 0.25
NEW_SHARE = 0.12
OPENING_SHARE = ENDING_SHARE = 0.3

WORDS: dict[str, tuple[str, ...]] = {
    "name": ("Anna", "Ben", "Carla", "David", "Elif", "Farid", "Grace", "Hugo", "Ines", "Jonas",
             "Kim", "Lena", "Marek", "Nora", "Omar", "Paula"),
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "time": ("8:30", "9:15", "10:00", "11:45", "14:00", "15:30", "17:20", "18:00", "19:30"),
    "place": ("the library", "the station", "the office", "the sports hall", "the cafe",
              "room 12", "the town hall", "the car park"),
    "thing": ("bicycle", "laptop", "umbrella", "blue folder", "projector", "printer", "ladder",
              "key card", "coffee machine"),
    "work": ("budget", "report", "survey", "contract", "offer", "schedule", "draft", "timetable"),
    "food": ("soup", "pizza", "pancakes", "curry", "salad", "apple cake", "noodles"),
    "sum": ("50", "120", "200", "350", "500", "750", "900", "1,000", "2,500"),
    "number": ("14", "27", "38", "102", "215", "331", "447", "508", "690", "812"),
    "prize": ("phone", "voucher", "gift card", "television", "weekend trip", "tablet"),
    "product": ("SlimQuick tea", "hair tonic", "MegaTrade software", "vitamin drops",
                "miracle cream", "replica watches", "cheap loans"),
    "site": ("prize-desk.example", "secure-login.example", "best-deal.example",
             "parcel-fee.example", "fast-money.example", "account-check.example"),
    "bank": ("your bank", "Northbank", "the card service", "CityPay"),
    "shop": ("Garden World", "the bookshop", "Shoe Corner", "the bike shop", "Hill Bakery"),
}  # fmt: skip

PLAIN_SPAM = (
    "Congratulations! You have won a {prize}. Claim it now at {site}",
    "Final notice: your free {prize} is waiting. Click {site} within 24 hours!",
    "Earn {sum} euros a week from home, no experience needed. Start at {site}",
    "Special offer only today: {product} for half the price! Order at {site}",
    "Dear customer, {bank} has locked your account. Verify your password at {site}",
    "You are selected for a loan of {sum} euros without any checks. Apply now: {site}",
    "Buy {product} now and get a second pack for free! {site}",
    "Urgent: your payment of {sum} euros failed. Update your card at {site}",
    "Double your money: invest {sum} euros and win every week. No risk! {site}",
)
HARD_SPAM = (
    "Hi, it's {name}, my phone broke and this is my new number. Can you send me {sum} euros by "
    "{day}? I'll explain later",
    "Hello, I saw your profile and would like to talk about a quiet job, {sum} a day, from {day}",
    "Your parcel {number} is held at customs. Pay 1.99 at {site} to release it",
    "Are you at your desk? I need you to buy {sum} euros of gift cards for a client before {time}. "
    "Don't call, I'm in a meeting. {name}, director",
    "Good day, I am {name}, a lawyer. A relative left you {sum} thousand euros. Please reply in "
    "confidence",
    "We watched you through your camera. Send {sum} euros before {day} or all your friends see it",
)
NEW_SPAM = (
    "Your child has been in an accident near {place}. Call this number at once and keep {sum} "
    "euros ready",
    "Scan the code on this letter to avoid a parking fine of {sum} euros, case {number}",
    "{name} tagged you in a photo from {day}. Sign in to see it: {site}",
)
PLAIN_HAM = (
    "Shall we meet at {place} on {day} at {time}?",
    "I left the {thing} at {place}, could you bring it on {day}?",
    "The {work} is nearly done, I'll send it on {day}. {name}",
    "Can you look over the {work} before {time}? Thanks, {name}",
    "Making {food} tonight, come over at {time} if you like",
    "{name} is ill, so the training on {day} is off",
    "Running late, the train stands still. There at {time}",
    "The {thing} in {place} is broken again, {name} will look at it on {day}",
    "Happy birthday {name}! See you on {day}",
    "Don't forget: parents' evening on {day} at {time} in {place}",
    "Thanks for the {food} yesterday, the recipe please! {name}",
)
HARD_HAM = (
    "You won the raffle at the school fair! Your prize, a {prize}, is at {place} until {day}",
    "Your order {number} from {shop} is ready. Free parking when you collect it before {time}",
    "Card payment at {bank}: {sum} euros at {shop} on {day}. If this was you, nothing to do",
    "Last call for the office lottery: tickets for the {prize} at {place}, 2 euros, ask {name}",
    "URGENT!!! {name} we need the {work} NOW, client is waiting!!!",
    "Win win: sold the old {thing} for {sum} euros, drinks are on me on {day}. {name}",
    "Your code for signing in is {number}{number}. Nobody from us will ever ask you for it",
    "Members' offer at {shop}, as you asked us to tell you: the {thing} is back, {sum} euros",
)
NEW_HAM = (
    "Your account at the library: two books are due on {day}. Renew them at the desk, no fee",
    "Insurance claim {number}: we have paid {sum} euros to you, no reply needed. {name}",
    "Free seat in the car to {place} on {day}, {time}. First come, first served! {name}",
)
# The same for both kinds: they tell a person nothing and lead a filter astray.
OPENINGS = ("Hi {name}!", "Hello!", "Good morning!", "Dear {name}!")
ENDINGS = ("Best wishes, {name}", "Thanks!", "Please answer before {time}", "Have a nice {day}!")
PATTERNS: dict[bool, tuple[tuple[str, ...], ...]] = {
    True: (PLAIN_SPAM, HARD_SPAM, NEW_SPAM),
    False: (PLAIN_HAM, HARD_HAM, NEW_HAM),
}


@dataclass(frozen=True, slots=True)
class Message:
    """A message, whether it is spam, and whether its kind is kept out of the training part."""

    text: str
    spam: bool
    new: bool


def messages(n: int, seed: int) -> list[Message]:
    """``n`` messages with different texts, the same ones for the same seed."""
    random_ = random.Random(seed)
    by_text: dict[str, Message] = {}
    while len(by_text) < n:
        message = _message(random_)
        by_text.setdefault(message.text, message)
    return list(by_text.values())


def _message(random_: random.Random) -> Message:
    spam = random_.random() < SPAM_SHARE
    kind = random_.random()
    new = kind < NEW_SHARE
    level = 2 if new else 1 if kind < NEW_SHARE + HARD_SHARE else 0
    patterns = PATTERNS[spam][level]
    pattern = random_.choice(patterns)
    if random_.random() < OPENING_SHARE:
        pattern = f"{random_.choice(OPENINGS)} {pattern}"
    if random_.random() < ENDING_SHARE:
        stop = " " if pattern.endswith(("!", "?")) else ". "
        pattern = pattern + stop + random_.choice(ENDINGS)
    text = re.sub(r"{(\w+)}", lambda gap: random_.choice(WORDS[gap[1]]), pattern)
    return Message(text, spam, new)
