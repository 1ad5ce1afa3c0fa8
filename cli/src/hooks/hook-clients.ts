import { join } from 'node:path'
import type { ClientPlace } from '../client-files.ts'
import { writePlugin } from './opencode-plugin.ts'

// The coding agents that `noema hooks install` knows: the file of their hooks, and its form.

/** One of our hooks, as a client's file has it. */
export type HookEntry = { command: string; [name: string]: unknown }

type Form = {
  /** The events with hooks, in the client's own words: those that add context, and those after which a turn is captured. */
  context: readonly string[]
  capture: readonly string[]
  entry: (command: string) => HookEntry
  /** The client has groups of hooks with a matcher, or plain lists of hooks. */
  isGrouped: boolean
  /** Properties that a new file needs. */
  base: Readonly<Record<string, unknown>>
}

/** A coding agent: the form of its hooks in a file of JSON, or the text of a file that is ours alone. */
export type HookClient = {
  name: string
  title: string
  file: (place: ClientPlace) => string
  next: string
} & ({ form: Form } | { write: (command: readonly string[], isCapturing: boolean) => string })

const typed = (timeout: number) => (command: string) => ({ type: 'command', command, timeout })
const grouped = { isGrouped: true, base: {} } as const
const perPrompt = ['SessionStart', 'UserPromptSubmit'] as const

/** The time after which a client stops a hook. */
const seconds = 10

export const hookClients: readonly HookClient[] = [
  {
    ...{ name: 'claude-code', title: 'Claude Code' },
    file: ({ home, env }) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    form: { ...grouped, context: perPrompt, capture: ['Stop', 'SessionEnd'], entry: typed(seconds) },
    next: 'Sessions that start from now on use them; /hooks lists them.',
  },
  {
    ...{ name: 'codex', title: 'Codex' },
    file: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'hooks.json'),
    form: { ...grouped, context: perPrompt, capture: ['Stop'], entry: typed(seconds) },
    next: 'Restart `codex` and trust the hooks; /hooks lists them. Older versions need codex_hooks = true under [features].',
  },
  {
    ...{ name: 'cursor', title: 'Cursor' },
    file: ({ home }) => join(home, '.cursor', 'hooks.json'),
    form: {
      ...{ isGrouped: false, base: { version: 1 }, context: ['sessionStart'], capture: ['stop', 'sessionEnd'] },
      entry: (command) => ({ command, timeout: seconds }),
    },
    next: 'Cursor reads them at once; see Settings, Hooks.',
  },
  {
    ...{ name: 'gemini-cli', title: 'Gemini CLI' },
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    form: {
      ...grouped,
      ...{ context: ['SessionStart', 'BeforeAgent'], capture: ['AfterAgent'] },
      entry: (command) => ({ name: 'noema', ...typed(seconds * 1000)(command) }),
    },
    next: 'Restart `gemini`; /hooks lists them.',
  },
  {
    ...{ name: 'vscode', title: 'VS Code' },
    file: ({ home }) => join(home, '.copilot', 'hooks', 'noema.json'),
    form: {
      ...{ isGrouped: false, base: {}, context: ['SessionStart'], capture: ['Stop'], entry: typed(seconds) },
    },
    next: 'New chats of agents use them; the setting chat.useHooks must be on.',
  },
  {
    ...{ name: 'opencode', title: 'opencode' },
    file: ({ home, env }) =>
      join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'plugins', 'noema-hooks.js'),
    write: writePlugin,
    next: 'Restart `opencode`.',
  },
]
