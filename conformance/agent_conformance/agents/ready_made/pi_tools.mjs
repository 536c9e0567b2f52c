// The extension with which Pi gets its tools, since it speaks no MCP: it starts an MCP server and registers what that
// lists. Knows Pi's documented extension API and MCP's lines; nothing of the adapter.
import { spawn } from "node:child_process";

const [program, ...args] = JSON.parse(process.env.CONFORMANCE_TOOLS);

function connected() {
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let number = 0;
  let rest = "";
  server.stdout.setEncoding("utf8");
  server.stdout.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const write = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      number += 1;
      waiting.set(number, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
      write({ id: number, method, params });
    });
  return { request, write };
}

/** Throws as soon as the turn is cancelled, since the tool itself cannot be. */
function unlessCancelled(result, signal) {
  const cancelled = new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("cancelled")), { once: true });
  });
  return Promise.race([result, cancelled]);
}

export default async function (pi) {
  const { request, write } = connected();
  const clientInfo = { name: "pi", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  write({ method: "notifications/initialized" });
  const { tools } = await request("tools/list", {});
  for (const { name, description, inputSchema } of tools) {
    const execute = async (_id, params, signal) => {
      const { content, isError } = await unlessCancelled(request("tools/call", { name, arguments: params }), signal);
      if (isError) throw new Error(content.map(({ text }) => text).join("\n"));
      return { content, details: undefined };
    };
    pi.registerTool({ name, label: name, description, parameters: inputSchema, execute });
  }
}
