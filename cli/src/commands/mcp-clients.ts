import { join } from 'node:path'
import type { ClientPlace } from '../client-files.ts'

/** The command that starts an MCP server on standard input and output. */
export type ServerCommand = { command: string; args: readonly string[]; env: Readonly<Record<string, string>> }

/** An AI client: the file of its servers, their key in that file, and the format of an entry. */
export type McpClient = {
  name: string
  title: string
  /** The scope of the file: a user or a project. */
  scope: 'user' | 'project'
  file: (place: ClientPlace) => string
  key: string
  format: 'json' | 'toml'
  entry: (server: ServerCommand) => object
  next: string
}

const plain = ({ command, args, env }: ServerCommand) => ({ command, args, env })
const typed = (server: ServerCommand) => ({ type: 'stdio', ...plain(server) })

/** The folder in which desktop programs store their settings. */
const toSettingsFolder = ({ home, platform, env }: ClientPlace): string => {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

/** The clients that `noema mcp install` knows. */
export const mcpClients: readonly McpClient[] = [
  {
    ...{
      name: 'claude-desktop',
      title: 'Claude Desktop',
      scope: 'user',
      format: 'json',
      key: 'mcpServers',
      entry: plain,
    },
    file: (place) => join(toSettingsFolder(place), 'Claude', 'claude_desktop_config.json'),
    next: 'Quit Claude Desktop and open it again.',
  },
  {
    ...{ name: 'claude-code', title: 'Claude Code', scope: 'user', format: 'json', key: 'mcpServers', entry: typed },
    file: ({ home }) => join(home, '.claude.json'),
    next: 'Restart `claude`; /mcp lists its servers.',
  },
  {
    ...{
      name: 'claude-code-project',
      title: 'Claude Code',
      scope: 'project',
      format: 'json',
      key: 'mcpServers',
      entry: typed,
    },
    file: ({ cwd }) => join(cwd, '.mcp.json'),
    next: 'Start `claude` in this folder and allow the server. The file has a key in it: do not commit it.',
  },
  {
    ...{ name: 'cursor', title: 'Cursor', scope: 'user', format: 'json', key: 'mcpServers', entry: plain },
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    next: 'Cursor reads it at once; see Settings, MCP.',
  },
  {
    ...{ name: 'vscode', title: 'VS Code', scope: 'user', format: 'json', key: 'servers', entry: typed },
    file: (place) => join(toSettingsFolder(place), 'Code', 'User', 'mcp.json'),
    next: 'Run "MCP: List Servers" in VS Code and start it.',
  },
  {
    ...{ name: 'windsurf', title: 'Windsurf', scope: 'user', format: 'json', key: 'mcpServers', entry: plain },
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    next: 'Press refresh in the MCP settings of Windsurf.',
  },
  {
    ...{ name: 'zed', title: 'Zed', scope: 'user', format: 'json', key: 'context_servers' },
    entry: (server) => ({ source: 'custom', ...plain(server) }),
    file: ({ home, env }) => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed', 'settings.json'),
    next: 'Zed reads it at once; see the settings of the Agent panel.',
  },
  {
    ...{ name: 'gemini-cli', title: 'Gemini CLI', scope: 'user', format: 'json', key: 'mcpServers', entry: plain },
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    next: 'Restart `gemini`; /mcp lists its servers.',
  },
  {
    ...{ name: 'codex', title: 'Codex', scope: 'user', format: 'toml', key: 'mcp_servers', entry: plain },
    file: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    next: 'Restart `codex`; /mcp lists its servers.',
  },
]
