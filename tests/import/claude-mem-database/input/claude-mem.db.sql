CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE, project TEXT NOT NULL, started_at_epoch INTEGER);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
INSERT INTO sdk_sessions VALUES (1, 'c1', 'ms1', 'project', 1777629600000), (2, 'c2', 'ms2', 'elsewhere', 1777629600000);
INSERT INTO observations VALUES
 (1, 'ms1', 'project', NULL, 'decision', 'Carts live in SQLite', NULL, '["One file is easy to back up","Redis was dropped"]', 'The team moved carts out of Redis.', '[]', '[]', '["src/cart.c"]', 1, '2026-05-01T10:00:00Z', 1777629600000),
 (2, 'ms2', 'elsewhere', NULL, 'bugfix', 'Not ours', NULL, '[]', 'Of another project.', '[]', '[]', '[]', 1, '2026-05-01T10:00:00Z', 1777629600000);
INSERT INTO session_summaries VALUES (1, 'ms1', 'project', 'Speed up the cart', NULL, 'Redis was the bottleneck', 'Moved carts', 'Measure again', NULL, '2026-05-01T11:00:00Z', 1777633200000);
INSERT INTO user_prompts VALUES (1, 'c1', 1, 'Please always use prepared statements. Thanks!', '2026-05-01T10:00:00Z', 1777629600000), (2, 'c2', 1, 'We decided to be elsewhere.', '2026-05-01T10:00:00Z', 1777629600000);
