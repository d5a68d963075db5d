// A tiny MCP server on standard input and output. Each tool tells how often it and the others were called in
// this process, so that it shows whether one process served a whole run.
import { createInterface } from "node:readline";

let calls = 0;

const named = (name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } });

/** @param {string} method */
function resultOf(method) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "tester", version: "1" },
      };
    case "tools/list":
      return { tools: [named("add"), named("boom")] };
    case "tools/call":
      calls += 1;
      return { content: [{ type: "text", text: `call ${calls} of process ${process.pid}` }] };
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method) })}\n`);
}
