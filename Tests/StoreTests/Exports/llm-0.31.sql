CREATE TABLE IF NOT EXISTS "conversations" (
   "id" TEXT PRIMARY KEY,
   "name" TEXT,
   "model" TEXT
);
INSERT INTO conversations VALUES('01m8emmfy0hrr0gxd1krdargzd','What do bees eat?','rep');
INSERT INTO conversations VALUES('01m8emmkpvkg7t5b38cmqsgp7n','another one','rep');
INSERT INTO conversations VALUES('01m8emmnd81vtwv7rkd15wxtk0','a picture','rep');
INSERT INTO conversations VALUES('01m8emmtceda05jpynd84dbbkw','Bees dance. What is that?','rep');
INSERT INTO conversations VALUES('01m8emmw6vh79yrrjwsrt9btf8','use it','tool');
INSERT INTO conversations VALUES('01m8emn1nqcdeb3fbn6s84pc2t','think hard','think');
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
, "resolved_model" TEXT);
INSERT INTO responses VALUES('01m8emmfrn547pr53tgehkr6bc','rep','What do bees eat?','be brief','{"messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": {"$": "r:01m8emmfrn547pr53tgehkr6bc"}}]}','{}','What do bees eat?','{"content": {"$": "r:01m8emmfrn547pr53tgehkr6bc"}, "finish_reason": "stop", "usage": {"completion_tokens": 2, "prompt_tokens": 7, "total_tokens": 9}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}','01m8emmfy0hrr0gxd1krdargzd',170,'2026-11-27T13:55:34.805348+00:00',7,2,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmh8qgzjzpxzj5zdx8jw6','rep','And sleep?',NULL,'{"messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "What do bees eat?"}, {"role": "assistant", "content": "What do bees eat?"}, {"role": "user", "content": {"$": "r:01m8emmh8qgzjzpxzj5zdx8jw6"}}]}','{}','And sleep?','{"content": {"$": "r:01m8emmh8qgzjzpxzj5zdx8jw6"}, "finish_reason": "stop", "usage": {"completion_tokens": 1, "prompt_tokens": 7, "total_tokens": 8}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}','01m8emmfy0hrr0gxd1krdargzd',182,'2026-11-27T13:55:36.343998+00:00',7,1,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmkhf3gdmtpjaypa5sns4','rep','another one',NULL,'{"messages": [{"role": "user", "content": {"$": "r:01m8emmkhf3gdmtpjaypa5sns4"}}]}','{"temperature": 0.5}','another one','{"content": {"$": "r:01m8emmkhf3gdmtpjaypa5sns4"}, "finish_reason": "stop", "usage": {"completion_tokens": 1, "prompt_tokens": 7, "total_tokens": 8}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}','01m8emmkpvkg7t5b38cmqsgp7n',171,'2026-11-27T13:55:38.671718+00:00',7,1,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmn9g3v1trygqv6ehyer1','rep','a picture',NULL,'{"messages": [{"role": "user", "content": [{"type": "text", "text": {"$": "r:01m8emmn9g3v1trygqv6ehyer1"}}, {"type": "image_url", "image_url": {"url": "data:..."}}]}]}','{}','a picture','{"content": {"$": "r:01m8emmn9g3v1trygqv6ehyer1"}, "finish_reason": "stop", "usage": {"completion_tokens": 1, "prompt_tokens": 7, "total_tokens": 8}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}','01m8emmnd81vtwv7rkd15wxtk0',118,'2026-11-27T13:55:40.464776+00:00',7,1,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmqj5cwkpa3g5e3vfp34y','rep','the same from a file',NULL,'{"messages": [{"role": "user", "content": [{"type": "text", "text": "a picture"}, {"type": "image_url", "image_url": {"url": "data:..."}}]}, {"role": "assistant", "content": "a picture"}, {"role": "user", "content": [{"type": "text", "text": {"$": "r:01m8emmqj5cwkpa3g5e3vfp34y"}}, {"type": "image_url", "image_url": {"url": "data:..."}}]}]}','{}','the same from a file','{"content": {"$": "r:01m8emmqj5cwkpa3g5e3vfp34y"}, "finish_reason": "stop", "usage": {"completion_tokens": 2, "prompt_tokens": 7, "total_tokens": 9}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}','01m8emmnd81vtwv7rkd15wxtk0',181,'2026-11-27T13:55:42.789763+00:00',7,2,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmt6desr29kbpz0c1sm6j','rep','What is that?',NULL,'{"messages": [{"role": "user", "content": {"$": "r:01m8emmt6desr29kbpz0c1sm6j"}}]}','{}',replace('Bees dance.\n\nWhat is that?','\n',char(10)),'{"content": {"$": "r:01m8emmt6desr29kbpz0c1sm6j"}, "finish_reason": "stop", "usage": {"completion_tokens": 2, "prompt_tokens": 7, "total_tokens": 9}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "rep-name", "created": 1700000000}','01m8emmtceda05jpynd84dbbkw',193,'2026-11-27T13:55:45.485805+00:00',7,2,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmw6xcnfbqj49e465vyj4','tool','use it',NULL,'{"messages": [{"role": "user", "content": "use it"}]}','{}','Let me look. ','{"content": {"$": "r:01m8emmw6xcnfbqj49e465vyj4"}, "finish_reason": "tool_calls", "id": "x", "object": "chat.completion.chunk", "model": "m", "created": 1700000000}','01m8emmw6vh79yrrjwsrt9btf8',168,'2026-11-27T13:55:47.549438+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emmwcsd49sx9cz6kq3kbhz','tool','',NULL,'{"messages": [{"role": "user", "content": "use it"}, {"role": "assistant", "content": "Let me look. "}, {"role": "assistant", "tool_calls": [{"type": "function", "id": "call_1", "function": {"name": "llm_version", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "call_1", "content": "0.31"}]}','{}','It is 0.31','{"content": {"$": "r:01m8emmwcsd49sx9cz6kq3kbhz"}, "finish_reason": "stop", "id": "x", "object": "chat.completion.chunk", "model": "m", "created": 1700000000}','01m8emmw6vh79yrrjwsrt9btf8',104,'2026-11-27T13:55:47.737480+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO responses VALUES('01m8emn141vmk7fchpcqw21gmm','think','think hard',NULL,'{"messages": [{"role": "user", "content": "think hard"}]}','{}','Hello from the scripted server.','{"content": {"$": "r:01m8emn141vmk7fchpcqw21gmm"}, "finish_reason": "stop", "usage": {"completion_tokens": 7, "prompt_tokens": 7, "total_tokens": 14}, "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "think-name", "created": 1700000000}','01m8emn1nqcdeb3fbn6s84pc2t',566,'2026-11-27T13:55:52.577143+00:00',7,7,NULL,NULL,NULL);
CREATE TABLE IF NOT EXISTS "attachments" (
   "id" TEXT PRIMARY KEY,
   "type" TEXT,
   "path" TEXT,
   "url" TEXT,
   "content" BLOB
);
INSERT INTO attachments VALUES('c2153f77e11087fcb078ae38527fa83bef29791e3700e30cc87fec4405a66d0f','image/png',NULL,NULL,X'89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082');
INSERT INTO attachments VALUES('622a4d7895fe21474b7bd4d545711ff5304980b18753d3e68171593e2a7a8926','image/png','/home/ada/a.png',NULL,NULL);
CREATE TABLE IF NOT EXISTS "prompt_attachments" (
   "response_id" TEXT REFERENCES "responses"("id"),
   "attachment_id" TEXT REFERENCES "attachments"("id"),
   "order" INTEGER,
   PRIMARY KEY ("response_id", "attachment_id")
);
INSERT INTO prompt_attachments VALUES('01m8emmn9g3v1trygqv6ehyer1','c2153f77e11087fcb078ae38527fa83bef29791e3700e30cc87fec4405a66d0f',0);
INSERT INTO prompt_attachments VALUES('01m8emmqj5cwkpa3g5e3vfp34y','622a4d7895fe21474b7bd4d545711ff5304980b18753d3e68171593e2a7a8926',0);
CREATE TABLE IF NOT EXISTS "fragments" (
   "id" INTEGER PRIMARY KEY,
   "hash" TEXT,
   "content" TEXT,
   "datetime_utc" TEXT,
   "source" TEXT
);
INSERT INTO fragments VALUES(1,'bf53ce2a15c9b2a710e034661149422a7ac79cf6f933819656dca9d279f85f31',replace('Bees dance.\n','\n',char(10)),'2026-11-27 13:55:45','/home/ada/bees.txt');
CREATE TABLE IF NOT EXISTS "prompt_fragments" (
   "response_id" TEXT REFERENCES "responses"("id"),
   "fragment_id" INTEGER REFERENCES "fragments"("id"),
   "order" INTEGER,
   PRIMARY KEY ("response_id", "fragment_id", "order")
);
INSERT INTO prompt_fragments VALUES('01m8emmt6desr29kbpz0c1sm6j',1,0);
CREATE TABLE IF NOT EXISTS "system_fragments" (
   "response_id" TEXT REFERENCES "responses"("id"),
   "fragment_id" INTEGER REFERENCES "fragments"("id"),
   "order" INTEGER,
   PRIMARY KEY ("response_id", "fragment_id", "order")
);
CREATE TABLE IF NOT EXISTS "tool_calls" (
   "id" INTEGER PRIMARY KEY,
   "response_id" TEXT REFERENCES "responses"("id"),
   "tool_id" INTEGER REFERENCES "tools"("id"),
   "name" TEXT,
   "arguments" TEXT,
   "tool_call_id" TEXT
);
INSERT INTO tool_calls VALUES(1,'01m8emmw6xcnfbqj49e465vyj4',1,'llm_version','{}','call_1');
CREATE TABLE IF NOT EXISTS "tool_results" (
   "id" INTEGER PRIMARY KEY,
   "response_id" TEXT REFERENCES "responses"("id"),
   "tool_id" INTEGER REFERENCES "tools"("id"),
   "name" TEXT,
   "output" TEXT,
   "tool_call_id" TEXT,
   "instance_id" INTEGER REFERENCES "tool_instances"("id")
, "exception" TEXT);
INSERT INTO tool_results VALUES(1,'01m8emmwcsd49sx9cz6kq3kbhz',1,'llm_version','0.31','call_1',NULL,NULL);
