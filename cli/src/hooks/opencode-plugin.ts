// opencode has plugins in place of hooks: a file of ours, which starts the same command with the same input.

/** Every plugin of ours begins with this line, by which it is known. */
export const pluginMark = '// Written by `noema hooks install opencode`; `noema hooks uninstall opencode` removes it.'

/** The text of the plugin. `command`: the program and its arguments. */
export const writePlugin = ([program = '', ...args]: readonly string[], isCapturing: boolean): string => `${pluginMark}
import { spawn } from 'node:child_process'

const limitMilliseconds = 5_000

const run = (input) =>
  new Promise((resolve) => {
    const child = spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: ['pipe', 'pipe', 'ignore'] })
    const timer = setTimeout(() => child.kill(), limitMilliseconds)
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.on('error', () => resolve({}))
    child.stdin.on('error', () => undefined)
    child.on('close', () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(text))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(input))
  })

const toText = (parts) => parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : [])).join('\\n')

export const NoemaHooks = async ({ client, directory }) => {
  const contexts = new Map()
  const sent = new Map()
  const capture = async (session) => {
    const { data = [] } = await client.session.messages({ path: { id: session } })
    const fresh = data.slice(sent.get(session) ?? 0)
    sent.set(session, data.length)
    const messages = fresh.map(({ info, parts }) => ({ role: info.role, text: toText(parts) })).filter(({ text }) => text)
    if (messages.length > 0) await run({ hook_event_name: 'Stop', session_id: session, cwd: directory, messages })
  }
  return {
    'chat.message': async ({ sessionID }, { parts }) => {
      const name = contexts.has(sessionID) ? 'UserPromptSubmit' : 'SessionStart'
      const input = { hook_event_name: name, session_id: sessionID, cwd: directory, prompt: toText(parts) }
      const { hookSpecificOutput } = await run(input)
      contexts.set(sessionID, hookSpecificOutput?.additionalContext ?? '')
    },
    'experimental.chat.system.transform': async ({ sessionID }, { system }) => {
      const context = contexts.get(sessionID)
      if (context) system.push(context)
    },${
      isCapturing
        ? `
    event: async ({ event }) => {
      if (event.type === 'session.idle') await capture(event.properties.sessionID).catch(() => undefined)
    },`
        : ''
    }
  }
}
`
