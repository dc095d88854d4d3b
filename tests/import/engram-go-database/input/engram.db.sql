CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT, summary TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tool_name TEXT, project TEXT, scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, content TEXT NOT NULL, project TEXT, created_at TEXT NOT NULL);
INSERT INTO sessions VALUES ('e1', 'project', '/home/me/project', '2026-02-28 22:16:30', NULL, 'Worked on auth.');
INSERT INTO observations VALUES
 (1, 'e1', 'decision', 'JWT for sessions', '**What**: tokens are signed with ES256', NULL, 'project', 'project', 'auth/tokens', '2026-02-28 22:16:30', '2026-02-28 22:20:00', NULL),
 (2, 'e1', 'bugfix', 'N+1 query', 'Fixed the N+1 query in UserList', NULL, 'project', 'project', NULL, '2026-02-28 22:17:30', '2026-02-28 22:17:30', NULL),
 (3, 'e1', 'bugfix', 'Gone', 'Deleted there', NULL, 'project', 'project', NULL, '2026-02-28 22:17:30', '2026-02-28 22:17:30', '2026-03-01 00:00:00'),
 (4, 'e1', 'bugfix', 'Other', 'Of another project', NULL, 'elsewhere', 'project', NULL, '2026-02-28 22:17:30', '2026-02-28 22:17:30', NULL);
INSERT INTO user_prompts VALUES (1, 'e1', 'I prefer small commits. Go on.', 'project', '2026-02-28 22:18:00');
