// A stand-in for Pi on which tests play the extension event by event: loads it with Pi's own
// loader, takes one JSON command per line and answers each with one line.
// Usage: node stage.mjs JITI_MODULE EXTENSION CWD
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [jitiModule, extension, cwd] = process.argv.slice(2);
const { createJiti } = await import(pathToFileURL(jitiModule));
const factory = await createJiti(import.meta.url, { moduleCache: false }).import(extension, { default: true });

const handlers = new Map();
const tools = new Map();
const commands = new Map();
const seen = { notices: [], status: undefined };
let active = [];
let branch = [];
let leaf = "leaf-1";

const ctx = {
	cwd,
	hasUI: true,
	ui: {
		notify: (text, level) => seen.notices.push({ text, level }),
		setStatus: (_key, text) => { seen.status = text; },
	},
	sessionManager: {
		getSessionId: () => "session-1",
		getLeafId: () => leaf,
		getBranch: () => branch,
	},
};
const pi = {
	on: (event, handler) => handlers.set(event, handler),
	registerTool: (tool) => {
		tools.set(tool.name, tool);
		active = [...new Set([...active, tool.name])];
	},
	registerCommand: (name, command) => commands.set(name, command),
	getAllTools: () => [...tools.values()],
	getActiveTools: () => active,
	setActiveTools: (names) => { active = names.filter((name) => tools.has(name)); },
	getCommands: () => [...commands.keys()].map((name) => ({ name })),
};

const play = {
	async emit({ event, data, entries, leafId }) {
		branch = entries ?? branch;
		leaf = leafId ?? leaf;
		const startedAt = performance.now();
		await handlers.get(event)({ type: event, ...data }, ctx);
		return { tookMs: performance.now() - startedAt };
	},
	async tool({ name, params }) {
		try {
			const { content } = await tools.get(name).execute("call", params, undefined, undefined, ctx);
			return { text: content[0].text };
		} catch (error) {
			return { error: error.message };
		}
	},
	async command({ name, args }) {
		await commands.get(name).handler(args, ctx);
		return seen.notices.at(-1);
	},
	async look() {
		const specs = [...tools.values()].map(({ execute, ...spec }) => spec);
		return { ...seen, active, specs, commands: [...commands.keys()] };
	},
};

await factory(pi);
for await (const line of createInterface({ input: process.stdin })) {
	const { do: action, ...arguments_ } = JSON.parse(line);
	process.stdout.write(`${JSON.stringify(await play[action](arguments_))}\n`);
}
