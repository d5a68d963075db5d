import { once } from "node:events";
import { createServer, type Server } from "node:http";

type Call = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown };

const isCall = (value: unknown): value is Call => typeof value === "object" && value !== null;

const named = (name: string) => ({
  name,
  description: name,
  inputSchema: { type: "object", properties: {} },
});

function resultOf(call: Call): object {
  switch (call.method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "tester", version: "1" },
      };
    case "tools/list":
      return { tools: [named("add"), named("boom")] };
    case "tools/call": {
      const failed = JSON.stringify(call.params).includes("boom");
      return { isError: failed, content: [{ type: "text", text: failed ? "boom!" : "42" }] };
    }
    default:
      return {};
  }
}

/** A tiny MCP server over HTTP, with a tool that adds and one that fails. */
export class Tools {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}/mcp`;
  }

  static async start(): Promise<Tools> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const call: unknown =
          request.method === "POST" ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
        if (!isCall(call)) return response.writeHead(405).end();
        if (call.id === undefined) return response.writeHead(202).end();
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: resultOf(call) }));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return new Tools(server, address.port);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
