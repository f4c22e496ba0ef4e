-- A store as schema version 1 wrote it. Never edit: it proves that such files still open.
PRAGMA application_id = 1281518691;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE event (
        project_id INTEGER NOT NULL REFERENCES project (id),
        sequence INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at TEXT NOT NULL,
        annotator TEXT NOT NULL,
        token TEXT,
        answers TEXT,
        "index" INTEGER,
        item_id TEXT,
        stratum INTEGER,
        batch INTEGER,
        basis INTEGER,
        label TEXT,
        text TEXT,
        previous INTEGER,
        shown_at TEXT,
        detail TEXT NOT NULL,
        hash TEXT NOT NULL,
        lease_until TEXT,
        PRIMARY KEY (project_id, sequence)
    ) WITHOUT ROWID
    ;
INSERT INTO "event" VALUES(1,1,'drawn','2026-01-01T00:00:00.000001+00:00','a1','t1',NULL,1,'m-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{}','h',NULL);
INSERT INTO "event" VALUES(1,2,'labelled','2026-01-01T00:00:00.000001+00:00','a1',NULL,'t1',NULL,NULL,NULL,NULL,NULL,'yes',NULL,NULL,NULL,'{}','h',NULL);
CREATE TABLE item (
        project_id INTEGER NOT NULL REFERENCES project (id),
        item_id TEXT NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (project_id, item_id)
    );
INSERT INTO "item" VALUES(1,'m-1','{"text": "hello"}');
CREATE TABLE project (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        created_at TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        plan_json TEXT NOT NULL,
        population_json TEXT NOT NULL,
        settings_json TEXT NOT NULL,
        archived BOOLEAN NOT NULL
    );
INSERT INTO "project" VALUES(1,'spam','2026-01-01T00:00:00.000001+00:00','f1','{}','{}','{}',0);
CREATE UNIQUE INDEX event_token ON event (token) WHERE token IS NOT NULL;
CREATE UNIQUE INDEX event_answers ON event (answers) WHERE answers IS NOT NULL;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event cannot be changed'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event cannot be deleted'); END;
CREATE TRIGGER event_follows_the_last BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT
        1 + (SELECT coalesce(max(sequence), 0) FROM event WHERE project_id = NEW.project_id)
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event must follow the last'); END;
CREATE TRIGGER event_tokens_are_new BEFORE INSERT ON event
    WHEN EXISTS (SELECT 1 FROM event WHERE token = NEW.token)
        OR EXISTS (SELECT 1 FROM event WHERE answers = NEW.answers)
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: a token cannot come twice'); END;
CREATE TRIGGER plan_is_frozen BEFORE UPDATE OF id, created_at, fingerprint, plan_json ON project
    BEGIN SELECT RAISE(ABORT, 'the plan of a project cannot be changed'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('project',1);
COMMIT;
