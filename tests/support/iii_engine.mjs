// Stands in for the `iii` engine that agentmemory's worker needs and npm does not have: one worker
// over a WebSocket, a store in memory, and HTTP routes that call the worker's functions.
// Run it as `node iii_engine.mjs REST_PORT NODE_MODULES`; it prints the port of the WebSocket.
import http from "node:http";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";

const [restPort, nodeModules] = process.argv.slice(2);
const { WebSocketServer } = createRequire(`${nodeModules}/iii-sdk/package.json`)("ws");

const scopes = new Map();
const scope = (name) => scopes.get(name) ?? scopes.set(name, new Map()).get(name);
const put = (data, value) => {
  const rows = scope(data.scope);
  const old_value = rows.get(data.key) ?? null;
  rows.set(data.key, value);
  return { old_value, new_value: value };
};
const changed = (data) => {
  const value = { ...scope(data.scope).get(data.key) };
  for (const { type, path, value: given, by } of data.ops) {
    if (type === "set") value[path] = given;
    else if (type === "increment") value[path] = (value[path] ?? 0) + by;
    else if (type === "remove") delete value[path];
    else if (type === "merge") Object.assign(value, given);
  }
  return value;
};
const own = {
  "state::get": (data) => scope(data.scope).get(data.key) ?? null,
  "state::set": (data) => put(data, data.value),
  "state::update": (data) => put(data, changed(data)),
  "state::delete": (data) => {
    const old = scope(data.scope).get(data.key) ?? null;
    scope(data.scope).delete(data.key);
    return old;
  },
  "state::list": (data) => [...scope(data.scope).values()],
  "state::list_groups": () => ({ groups: [...scopes.keys()] }),
  "engine::workers::list": () => ({ workers: [] }),
  "engine::workers::register": () => ({ success: true }),
};

let worker = null;
const functions = new Set();
const routes = [];
const waiting = new Map();

// Calls a function of the engine or of the worker; streams and logs are taken and forgotten.
const call = (name, data) =>
  new Promise((resolve, reject) => {
    if (own[name]) return resolve(own[name](data));
    if (name.startsWith("stream::")) return resolve(null);
    if (!functions.has(name)) return reject(new Error(`Function ${name} not found`));
    const id = randomUUID();
    waiting.set(id, { resolve, reject });
    worker.send(
      JSON.stringify({ type: "invokefunction", invocation_id: id, function_id: name, data }),
    );
  });

const answer = async (socket, message) => {
  const { invocation_id, function_id, data, action } = message;
  const said = { type: "invocationresult", invocation_id, function_id };
  try {
    said.result = (await call(function_id, data)) ?? null;
  } catch (error) {
    said.error = { code: "ERR", message: error.message };
  }
  if (action?.type !== "void" && invocation_id && socket.readyState === 1)
    socket.send(JSON.stringify(said));
};
const listen = {
  registerfunction: (_, message) => functions.add(message.id),
  registertrigger: (_, { trigger_type, function_id, config }) => {
    if (trigger_type !== "http") return;
    const { api_path, http_method, middleware_function_ids } = config;
    routes.push({
      name: function_id,
      parts: api_path.split("/").filter(Boolean),
      method: (http_method ?? "GET").toUpperCase(),
      guards: middleware_function_ids ?? [],
    });
  },
  invokefunction: answer,
  invocationresult: (_, { invocation_id, result, error }) => {
    const caller = waiting.get(invocation_id);
    waiting.delete(invocation_id);
    if (error) caller?.reject(new Error(error.message));
    else caller?.resolve(result);
  },
};
const gone = () => {
  worker = null;
  functions.clear();
  routes.length = 0;
  for (const { reject } of waiting.values()) reject(new Error("Invocation stopped"));
  waiting.clear();
};

const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: 16 * 1024 * 1024 });
sockets.on("connection", (socket) => {
  worker = socket;
  socket.send(JSON.stringify({ type: "workerregistered", worker_id: randomUUID() }));
  socket.on("message", (raw, isBinary) => {
    const message = isBinary ? {} : JSON.parse(raw);
    listen[message.type]?.(socket, message);
  });
  socket.on("error", () => {});
  socket.on("close", gone);
});

const matched = (route, parts) => {
  if (route.parts.length !== parts.length) return null;
  const found = {};
  for (const [at, part] of route.parts.entries()) {
    if (part.startsWith(":")) found[part.slice(1)] = decodeURIComponent(parts[at]);
    else if (part !== parts[at]) return null;
  }
  return found;
};
const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (!request.headers["content-type"]?.includes("application/json")) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return null;
  }
};
const handle = async (request) => {
  const url = new URL(request.url, "http://engine");
  const parts = url.pathname.split("/").filter(Boolean);
  const body = await bodyOf(request);
  const there = routes.filter((route) => matched(route, parts));
  const route = there.find(({ method }) => method === request.method);
  if (!route) return [there.length ? 405 : 404];
  const asked = {
    path_params: matched(route, parts),
    query_params: Object.fromEntries(url.searchParams),
    headers: request.headers,
    method: request.method,
    body,
  };
  for (const guard of route.guards) {
    const said = await call(guard, { phase: "preHandler", request: asked, context: {} });
    if (said?.action === "respond") return [said.response.status_code, said.response.body];
  }
  const said = await call(route.name, asked);
  return [said?.status_code ?? 200, said?.body ?? {}];
};
http
  .createServer(async (request, response) => {
    const [status, body] = await handle(request).catch((error) => [
      500,
      { error: error.message, error_id: randomUUID().slice(0, 8) },
    ]);
    response.writeHead(status, body === undefined ? {} : { "content-type": "application/json" });
    response.end(body === undefined ? "" : JSON.stringify(body));
  })
  .listen(Number(restPort), "127.0.0.1", () => console.log(sockets.address().port));
