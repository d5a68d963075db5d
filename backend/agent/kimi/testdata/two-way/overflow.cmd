# config.toml: [loop_control] max_attempts_per_step = 2
# state.json: {"lastTurnReason": "failed"}
# wire.jsonl: {"turnId":0,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057110617,"kind":"event"}
# wire.jsonl: {"turnId":1,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057110880,"kind":"event"}
# wire.jsonl: {"turnId":2,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057111060,"kind":"event"}
# wire.jsonl: {"turnId":3,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057111233,"kind":"event"}
# wire.jsonl: {"type":"turn.ended","agentId":"main","turnId":0,"reason":"failed","error":{"code":"context.overflow","message":"Compaction failed to bring the context under the model window after 3 attempts.","name":"Error2","retryable":true,"cause":{"code":"context.overflow","message":"400 Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)","name":"APIContextOverflowError","details":{"statusCode":400,"requestId":null,"traceId":null},"retryable":true}},"durationMs":719,"time":0}
# wire.jsonl: {"turnId":4,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057112331,"kind":"event"}
# wire.jsonl: {"turnId":5,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057112478,"kind":"event"}
# wire.jsonl: {"turnId":6,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057112604,"kind":"event"}
# wire.jsonl: {"turnId":7,"outcome":"failed","errorMessage":"[object Object]","type":"agent.turn.ended","time":1796057112727,"kind":"event"}
# wire.jsonl: {"type":"turn.ended","agentId":"main","turnId":4,"reason":"failed","error":{"code":"context.overflow","message":"Compaction failed to bring the context under the model window after 3 attempts.","name":"Error2","retryable":true,"cause":{"code":"context.overflow","message":"400 Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)","name":"APIContextOverflowError","details":{"statusCode":400,"requestId":null,"traceId":null},"retryable":true}},"durationMs":470,"time":0}
kimi acp
