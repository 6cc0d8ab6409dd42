CREATE TABLE IF NOT EXISTS "conversations" (
   "id" TEXT PRIMARY KEY,
   "name" TEXT,
   "model" TEXT
);
CREATE TABLE IF NOT EXISTS "responses" (
   "id" TEXT PRIMARY KEY,
   "model" TEXT,
   "prompt" TEXT,
   "system" TEXT,
   "prompt_json" TEXT,
   "options_json" TEXT,
   "response" TEXT,
   "response_json" TEXT,
   "conversation_id" TEXT REFERENCES "conversations"("id"),
   "duration_ms" INTEGER,
   "datetime_utc" TEXT,
   "input_tokens" INTEGER,
   "output_tokens" INTEGER,
   "token_details" TEXT,
   "schema_id" TEXT REFERENCES "schemas"("id")
, "resolved_model" TEXT, "reasoning" TEXT);
CREATE TABLE IF NOT EXISTS "threads" (
   "id" TEXT PRIMARY KEY,
   "name" TEXT,
   "tip_message_hash" TEXT REFERENCES "messages"("hash"),
   "forked_from" TEXT REFERENCES "threads"("id"),
   "datetime_utc" TEXT
);
INSERT INTO threads VALUES('01m8emm2sfkmran3av71s1h17n','What do bees eat?','b2:d5e2c5b47f3a38c666421eca9caf5c0c',NULL,'2026-11-27 13:55:21.674965+00:00');
INSERT INTO threads VALUES('01m8emm61rhvrmsp3zzaezq4pj','another one','b2:70fd10817cba90a8e564cf164a781301',NULL,'2026-11-27 13:55:25.093991+00:00');
INSERT INTO threads VALUES('01m8emm7rgx769xdevz0fnv4q6','a picture','b2:9254fd5f009556d7c8cf7fc2348bc20b',NULL,'2026-11-27 13:55:26.756956+00:00');
INSERT INTO threads VALUES('01m8emm9xp9qvsw07tknffvzyr','Bees dance. What is that?','b2:0a5628153bad16522f5e5032213be6c5',NULL,'2026-11-27 13:55:28.894371+00:00');
INSERT INTO threads VALUES('01m8emmb4k50v545gxfjsnp2at','use it','b2:0b1c785154fe790bca9cebf9337c5f52',NULL,'2026-11-27 13:55:30.362129+00:00');
INSERT INTO threads VALUES('01m8emmd795a35xed57adms8s2','think hard','b2:671a8012074176d7c9515c9f48c4597f',NULL,'2026-11-27 13:55:32.327279+00:00');
CREATE TABLE IF NOT EXISTS "turns" (
   "id" TEXT PRIMARY KEY,
   "thread_id" TEXT REFERENCES "threads"("id"),
   "parent_message_hash" TEXT REFERENCES "messages"("hash"),
   "tip_message_hash" TEXT REFERENCES "messages"("hash"),
   "model" TEXT,
   "resolved_model" TEXT,
   "options_json" TEXT,
   "schema_id" TEXT REFERENCES "schemas"("id"),
   "input_tokens" INTEGER,
   "output_tokens" INTEGER,
   "token_details" TEXT,
   "duration_ms" INTEGER,
   "datetime_utc" TEXT
, "response_json" TEXT);
INSERT INTO turns VALUES('01m8emm2shak0e3yg7t9qb6220','01m8emm2sfkmran3av71s1h17n','b2:583ba0148f6706851016788d8d31bfe8','b2:0aa65b18910b82002de6a8fdb49a58f4','rep',NULL,NULL,NULL,7,2,NULL,152,'2026-11-27T13:55:21.521422+00:00','{"content": "What do bees eat?", "finish_reason": "stop", "usage": {"completion_tokens": 2, "prompt_tokens": 7, "total_tokens": 9}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emm43znk401a5yzymy4kwg','01m8emm2sfkmran3av71s1h17n','b2:663383388b2b9ca6a8c160927fae3829','b2:d5e2c5b47f3a38c666421eca9caf5c0c','rep',NULL,NULL,NULL,7,1,NULL,199,'2026-11-27T13:55:22.879956+00:00','{"content": "And sleep?", "finish_reason": "stop", "usage": {"completion_tokens": 1, "prompt_tokens": 7, "total_tokens": 8}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emm61tz3zekee9h3fw57mn','01m8emm61rhvrmsp3zzaezq4pj','b2:429da1ee0e16dc0be38d9f604bfc82c2','b2:70fd10817cba90a8e564cf164a781301','rep',NULL,'{"temperature": 0.5}',NULL,7,1,NULL,212,'2026-11-27T13:55:24.858887+00:00','{"content": "another one", "finish_reason": "stop", "usage": {"completion_tokens": 1, "prompt_tokens": 7, "total_tokens": 8}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emm7rqv71s2k1sxt1qbj5x','01m8emm7rgx769xdevz0fnv4q6','b2:19264a02bd943a49281163afdae2bbb6','b2:4500b35b40672802bbf25c9ac8981fd0','rep',NULL,NULL,NULL,7,1,NULL,141,'2026-11-27T13:55:26.615254+00:00','{"content": "a picture", "finish_reason": "stop", "usage": {"completion_tokens": 1, "prompt_tokens": 7, "total_tokens": 8}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emm90vkwmdxcm30zgb9g27','01m8emm7rgx769xdevz0fnv4q6','b2:ec83033b5e0892877ce9d2ea31078312','b2:9254fd5f009556d7c8cf7fc2348bc20b','rep',NULL,NULL,NULL,7,2,NULL,132,'2026-11-27T13:55:27.900009+00:00','{"content": "the same from a file", "finish_reason": "stop", "usage": {"completion_tokens": 2, "prompt_tokens": 7, "total_tokens": 9}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emm9xq80bm4crgt26r8g1f','01m8emm9xp9qvsw07tknffvzyr','b2:da2d908fbc851b36bba82aae0046a6ba','b2:0a5628153bad16522f5e5032213be6c5','rep',NULL,NULL,NULL,7,2,NULL,69,'2026-11-27T13:55:28.823992+00:00','{"content": "Bees dance.\n\nWhat is that?", "finish_reason": "stop", "usage": {"completion_tokens": 2, "prompt_tokens": 7, "total_tokens": 9}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emmb4njjfj2zpd99ntjjqc','01m8emmb4k50v545gxfjsnp2at','b2:b26edf1e81069f693b70370488396a82','b2:c13f4fe50ccef51947654805e27a2107','tool',NULL,NULL,NULL,NULL,NULL,NULL,192,'2026-11-27T13:55:30.069490+00:00','{"content": "Let me look. ", "finish_reason": "tool_calls", "id": "x", "object": "chat.completion.chunk", "model": "m", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emmbaw9wq88tpy2zkg83tp','01m8emmb4k50v545gxfjsnp2at','b2:9848a3fa6beb8d98a49aeccaa0acf3df','b2:0b1c785154fe790bca9cebf9337c5f52','tool',NULL,NULL,NULL,NULL,NULL,NULL,93,'2026-11-27T13:55:30.268167+00:00','{"content": "It is 0.36", "finish_reason": "stop", "id": "x", "object": "chat.completion.chunk", "model": "m", "created": 1700000000}');
INSERT INTO turns VALUES('01m8emmd7aj328t0g178pbrej9','01m8emmd795a35xed57adms8s2','b2:422b4c752ecc5d1879206479d908cab4','b2:671a8012074176d7c9515c9f48c4597f','think',NULL,NULL,NULL,7,7,NULL,123,'2026-11-27T13:55:32.202650+00:00','{"content": "Hello from the scripted server.", "finish_reason": "stop", "usage": {"completion_tokens": 7, "prompt_tokens": 7, "total_tokens": 14}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "think-name", "created": 1700000000}');
CREATE TABLE IF NOT EXISTS "messages" (
   "hash" TEXT PRIMARY KEY,
   "parent_hash" TEXT REFERENCES "messages"("hash"),
   "role" TEXT,
   "provider_metadata" TEXT
);
INSERT INTO messages VALUES('b2:32cb3af67079be8aeafd8b05763f32c1',NULL,'system',NULL);
INSERT INTO messages VALUES('b2:583ba0148f6706851016788d8d31bfe8','b2:32cb3af67079be8aeafd8b05763f32c1','user',NULL);
INSERT INTO messages VALUES('b2:0aa65b18910b82002de6a8fdb49a58f4','b2:583ba0148f6706851016788d8d31bfe8','assistant',NULL);
INSERT INTO messages VALUES('b2:663383388b2b9ca6a8c160927fae3829','b2:0aa65b18910b82002de6a8fdb49a58f4','user',NULL);
INSERT INTO messages VALUES('b2:d5e2c5b47f3a38c666421eca9caf5c0c','b2:663383388b2b9ca6a8c160927fae3829','assistant',NULL);
INSERT INTO messages VALUES('b2:429da1ee0e16dc0be38d9f604bfc82c2',NULL,'user',NULL);
INSERT INTO messages VALUES('b2:70fd10817cba90a8e564cf164a781301','b2:429da1ee0e16dc0be38d9f604bfc82c2','assistant',NULL);
INSERT INTO messages VALUES('b2:19264a02bd943a49281163afdae2bbb6',NULL,'user',NULL);
INSERT INTO messages VALUES('b2:4500b35b40672802bbf25c9ac8981fd0','b2:19264a02bd943a49281163afdae2bbb6','assistant',NULL);
INSERT INTO messages VALUES('b2:ec83033b5e0892877ce9d2ea31078312','b2:4500b35b40672802bbf25c9ac8981fd0','user',NULL);
INSERT INTO messages VALUES('b2:9254fd5f009556d7c8cf7fc2348bc20b','b2:ec83033b5e0892877ce9d2ea31078312','assistant',NULL);
INSERT INTO messages VALUES('b2:da2d908fbc851b36bba82aae0046a6ba',NULL,'user',NULL);
INSERT INTO messages VALUES('b2:0a5628153bad16522f5e5032213be6c5','b2:da2d908fbc851b36bba82aae0046a6ba','assistant',NULL);
INSERT INTO messages VALUES('b2:b26edf1e81069f693b70370488396a82',NULL,'user',NULL);
INSERT INTO messages VALUES('b2:c13f4fe50ccef51947654805e27a2107','b2:b26edf1e81069f693b70370488396a82','assistant',NULL);
INSERT INTO messages VALUES('b2:9848a3fa6beb8d98a49aeccaa0acf3df','b2:c13f4fe50ccef51947654805e27a2107','tool',NULL);
INSERT INTO messages VALUES('b2:0b1c785154fe790bca9cebf9337c5f52','b2:9848a3fa6beb8d98a49aeccaa0acf3df','assistant',NULL);
INSERT INTO messages VALUES('b2:422b4c752ecc5d1879206479d908cab4',NULL,'user',NULL);
INSERT INTO messages VALUES('b2:671a8012074176d7c9515c9f48c4597f','b2:422b4c752ecc5d1879206479d908cab4','assistant',NULL);
CREATE TABLE IF NOT EXISTS "parts" (
   "id" INTEGER PRIMARY KEY,
   "message_hash" TEXT REFERENCES "messages"("hash"),
   "position" INTEGER,
   "type" TEXT,
   "tool_name" TEXT,
   "text" TEXT,
   "payload" TEXT
);
INSERT INTO parts VALUES(1,'b2:32cb3af67079be8aeafd8b05763f32c1',0,'text',NULL,'be brief',NULL);
INSERT INTO parts VALUES(2,'b2:583ba0148f6706851016788d8d31bfe8',0,'text',NULL,'What do bees eat?',NULL);
INSERT INTO parts VALUES(3,'b2:0aa65b18910b82002de6a8fdb49a58f4',0,'text',NULL,'What do bees eat?',NULL);
INSERT INTO parts VALUES(4,'b2:663383388b2b9ca6a8c160927fae3829',0,'text',NULL,'And sleep?',NULL);
INSERT INTO parts VALUES(5,'b2:d5e2c5b47f3a38c666421eca9caf5c0c',0,'text',NULL,'And sleep?',NULL);
INSERT INTO parts VALUES(6,'b2:429da1ee0e16dc0be38d9f604bfc82c2',0,'text',NULL,'another one',NULL);
INSERT INTO parts VALUES(7,'b2:70fd10817cba90a8e564cf164a781301',0,'text',NULL,'another one',NULL);
INSERT INTO parts VALUES(8,'b2:19264a02bd943a49281163afdae2bbb6',0,'text',NULL,'a picture',NULL);
INSERT INTO parts VALUES(9,'b2:19264a02bd943a49281163afdae2bbb6',1,'attachment',NULL,NULL,'{"attachment": {"id": "c2153f77e11087fcb078ae38527fa83bef29791e3700e30cc87fec4405a66d0f"}}');
INSERT INTO parts VALUES(10,'b2:4500b35b40672802bbf25c9ac8981fd0',0,'text',NULL,'a picture',NULL);
INSERT INTO parts VALUES(11,'b2:ec83033b5e0892877ce9d2ea31078312',0,'text',NULL,'the same from a file',NULL);
INSERT INTO parts VALUES(12,'b2:ec83033b5e0892877ce9d2ea31078312',1,'attachment',NULL,NULL,'{"attachment": {"id": "622a4d7895fe21474b7bd4d545711ff5304980b18753d3e68171593e2a7a8926"}}');
INSERT INTO parts VALUES(13,'b2:9254fd5f009556d7c8cf7fc2348bc20b',0,'text',NULL,'the same from a file',NULL);
INSERT INTO parts VALUES(14,'b2:da2d908fbc851b36bba82aae0046a6ba',0,'text',NULL,NULL,'{"text_ref": [{"fragment": 1}, {"literal": "\nWhat is that?"}]}');
INSERT INTO parts VALUES(15,'b2:0a5628153bad16522f5e5032213be6c5',0,'text',NULL,replace('Bees dance.\n\nWhat is that?','\n',char(10)),NULL);
INSERT INTO parts VALUES(16,'b2:b26edf1e81069f693b70370488396a82',0,'text',NULL,'use it',NULL);
INSERT INTO parts VALUES(17,'b2:c13f4fe50ccef51947654805e27a2107',0,'text',NULL,'Let me look. ',NULL);
INSERT INTO parts VALUES(18,'b2:c13f4fe50ccef51947654805e27a2107',1,'tool_call','llm_version',NULL,'{"name": "llm_version", "arguments": {}, "tool_call_id": "call_1"}');
INSERT INTO parts VALUES(19,'b2:9848a3fa6beb8d98a49aeccaa0acf3df',0,'tool_result','llm_version',NULL,'{"name": "llm_version", "output": "0.36", "tool_call_id": "call_1"}');
INSERT INTO parts VALUES(20,'b2:0b1c785154fe790bca9cebf9337c5f52',0,'text',NULL,'It is 0.36',NULL);
INSERT INTO parts VALUES(21,'b2:422b4c752ecc5d1879206479d908cab4',0,'text',NULL,'think hard',NULL);
INSERT INTO parts VALUES(22,'b2:671a8012074176d7c9515c9f48c4597f',0,'text',NULL,'Hello from the scripted server.',NULL);
CREATE TABLE IF NOT EXISTS "fragments" (
   "id" INTEGER PRIMARY KEY,
   "hash" TEXT,
   "content" TEXT,
   "datetime_utc" TEXT,
   "source" TEXT
);
INSERT INTO fragments VALUES(1,'bf53ce2a15c9b2a710e034661149422a7ac79cf6f933819656dca9d279f85f31',replace('Bees dance.\n','\n',char(10)),'2026-11-27 13:55:28','/home/ada/bees.txt');
CREATE TABLE IF NOT EXISTS "attachments" (
   "id" TEXT PRIMARY KEY,
   "type" TEXT,
   "path" TEXT,
   "url" TEXT,
   "content" BLOB
);
INSERT INTO attachments VALUES('c2153f77e11087fcb078ae38527fa83bef29791e3700e30cc87fec4405a66d0f','image/png',NULL,NULL,X'89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082');
INSERT INTO attachments VALUES('622a4d7895fe21474b7bd4d545711ff5304980b18753d3e68171593e2a7a8926','image/png','/home/ada/a.png',NULL,NULL);
