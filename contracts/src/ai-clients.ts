// AI clients, and the one thing that connects each with an MCP server that signs people in. The console, the command line and the
// guide show the same.

/** The server of a Brain: the Brain's handle, a name for it in the client, and its URL. */
export type McpServer = { handle: string; name: string; url: string }

/** The one thing to do: run a command, or paste a text into a file or a form. */
export type ConnectStep =
  | { kind: 'run'; text: string }
  /** `place` is the file or the form, as the client calls it. */
  | { kind: 'paste'; text: string; place: string }

/** An AI client. */
export type AiClient = {
  /** Its name for commands. */
  name: string
  title: string
  /** True if it runs on its maker's servers, which reach public https URLs only. */
  isHosted?: true
  step: (server: McpServer) => ConnectStep
  /** The next step in the client. */
  next: (server: McpServer) => string
  /** The names under which it registers as an app. */
  appName: RegExp
  /** True if `noema hooks install` knows it. */
  hasHooks?: true
}

const toJson = (value: object): string => JSON.stringify(value, null, 2)

/** The clients, hosted assistants first. */
export const aiClients: readonly AiClient[] = [
  {
    name: 'claude',
    title: 'Claude',
    isHosted: true,
    step: ({ url }) => ({ kind: 'paste', text: url, place: 'Settings, Connectors, Add custom connector' }),
    next: () => 'Press Connect; the consent opens in your browser.',
    appName: /^claude(?! code)/i,
  },
  {
    name: 'chatgpt',
    title: 'ChatGPT',
    isHosted: true,
    step: ({ url }) => ({ kind: 'paste', text: url, place: 'Settings, Connectors, Create (developer mode)' }),
    next: () => 'Choose OAuth and press Create; the consent opens in your browser.',
    appName: /^(chatgpt|openai)/i,
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    step: ({ name, url }) => ({ kind: 'run', text: `claude mcp add --scope user --transport http ${name} ${url}` }),
    next: ({ name }) => `In claude, type /mcp, choose ${name} and authenticate.`,
    appName: /^claude code/i,
    hasHooks: true,
  },
  {
    name: 'codex',
    title: 'Codex',
    step: ({ name, url }) => ({ kind: 'run', text: `codex mcp add ${name} --url ${url}` }),
    next: ({ name }) => `The sign-in opens in your browser; if it does not, run codex mcp login ${name}.`,
    appName: /^codex/i,
    hasHooks: true,
  },
  {
    name: 'cursor',
    title: 'Cursor',
    // Its sign-in returns by a URL of its own scheme, which any program may claim. It gets a key.
    step: ({ handle }) => ({ kind: 'run', text: `npx noema mcp install cursor --brain ${handle}` }),
    next: () => 'The command mints a key that reads; see --help for more. Cursor lists the server in its settings.',
    appName: /^cursor/i,
    hasHooks: true,
  },
  {
    name: 'vscode',
    title: 'VS Code',
    step: ({ name, url }) => ({
      kind: 'run',
      text: `code --add-mcp '${JSON.stringify({ name, type: 'http', url })}'`,
    }),
    next: () => 'Run "MCP: List Servers" in VS Code and start it.',
    appName: /^(visual studio code|vs ?code)/i,
    hasHooks: true,
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    step: ({ name, url }) => ({ kind: 'run', text: `gemini mcp add --scope user --transport http ${name} ${url}` }),
    next: ({ name }) => `In gemini, type /mcp auth ${name}.`,
    appName: /^gemini/i,
    hasHooks: true,
  },
  {
    name: 'opencode',
    title: 'opencode',
    step: ({ name, url }) => ({ kind: 'run', text: `opencode mcp add ${name} --url ${url}` }),
    next: ({ name }) => `Then run opencode mcp auth ${name}.`,
    appName: /^opencode/i,
    hasHooks: true,
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    step: ({ name, url }) => ({
      kind: 'paste',
      text: toJson({ mcpServers: { [name]: { serverUrl: url } } }),
      place: '~/.codeium/windsurf/mcp_config.json',
    }),
    next: () => 'Press refresh in the MCP settings of Windsurf.',
    appName: /^windsurf/i,
  },
  {
    name: 'zed',
    title: 'Zed',
    step: ({ name, url }) => ({
      kind: 'paste',
      text: toJson({ context_servers: { [name]: { url } } }),
      place: '~/.config/zed/settings.json',
    }),
    next: () => 'Zed asks to sign in; see the settings of the Agent panel.',
    appName: /^zed/i,
  },
]

/** The server of a Brain, named after it. */
export const toMcpServer = (baseUrl: string, handle: string): McpServer => ({
  handle,
  name: `noema-${handle}`,
  url: `${baseUrl.replace(/\/+$/, '')}/v1/brains/${handle}/mcp`,
})

/** True if servers on the internet can call a URL, as far as its text says. */
export const isPublicUrl = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  const isLocal = /^(localhost|.*\.localhost|.*\.local|.*\.internal|\[.*\]|[^.]+|\d+\.\d+\.\d+\.\d+)$/.test(hostname)
  return protocol === 'https:' && !isLocal
}

/** The name of the keys that `noema mcp install` mints for a client. */
export const toClientKeyName = (title: string): string => `MCP: ${title}`

type UsedApp = { name: string; grants: readonly { brain: { id: string } | null; lastUsedAt: string | null }[] }
type UsedKey = { name: string; lastUsedAt: string | null }

/**
 * The last time that a client used a Brain, as an app that someone let in or with a key that was minted for it. Clients name
 * themselves, so this helps to find out that a connection works; it proves nothing.
 */
export const findLastUse = (
  { appName, title }: AiClient,
  brainId: string,
  { apps, keys }: { apps: readonly UsedApp[]; keys: readonly UsedKey[] },
): string | undefined => {
  const grants = apps.filter(({ name }) => appName.test(name)).flatMap((app) => app.grants)
  const used = [
    ...grants.filter(({ brain }) => brain?.id === brainId),
    ...keys.filter(({ name }) => name === toClientKeyName(title)),
  ].flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
  return used.sort().at(-1)
}
