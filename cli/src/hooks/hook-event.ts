import { isSettings } from '../client-files.ts'

/** The moments of a session that clients report, each under its own names. */
type Moment = 'start' | 'prompt' | 'turn' | 'end'

/** A message of a session. */
export type Said = { role: 'user' | 'assistant'; text: string }

/** A hook's input, in one form for all clients. */
export type HookEvent = {
  moment: Moment
  /** The client's own name of the event, which its answer repeats. */
  name: string
  session: string
  cwd: string
  prompt: string
  transcript: string | undefined
  /** The texts of a turn that the client sends along; a transcript counts more. */
  said: readonly Said[]
}

const moments: Readonly<Record<string, Moment>> = {
  sessionstart: 'start',
  userpromptsubmit: 'prompt',
  beforeagent: 'prompt',
  stop: 'turn',
  afteragent: 'turn',
  sessionend: 'end',
}

const maxMessages = 10_000

const readSaid = (given: unknown): Said[] =>
  (Array.isArray(given) ? given.slice(-maxMessages) : []).flatMap((one) => {
    const { role, text } = isSettings(one) ? one : {}
    return (role === 'user' || role === 'assistant') && typeof text === 'string' ? [{ role, text }] : []
  })

/** The input of a hook; undefined if it is none, or about an event that no hook is installed for. */
export const readHookEvent = (text: string): HookEvent | undefined => {
  const given: unknown = JSON.parse(text)
  if (!isSettings(given)) return undefined
  const read = (...names: string[]): string | undefined => {
    const found = names.map((name) => given[name]).find((value) => typeof value === 'string' && value !== '')
    return found as string | undefined
  }
  const name = read('hook_event_name', 'hookEventName') ?? ''
  const moment = moments[name.toLowerCase()]
  const session = read('session_id', 'sessionId', 'conversation_id')
  if (moment === undefined || session === undefined) return undefined
  const [root] = Array.isArray(given.workspace_roots) ? given.workspace_roots : []
  const prompt = read('prompt') ?? ''
  const answer = read('prompt_response', 'last_assistant_message')
  const turn = [
    ...(moment === 'turn' && prompt !== '' ? [{ role: 'user', text: prompt }] : []),
    ...(answer === undefined ? [] : [{ role: 'assistant', text: answer }]),
  ]
  return {
    ...{ moment, name, session, prompt },
    cwd: read('cwd') ?? (typeof root === 'string' ? root : ''),
    transcript: read('transcript_path'),
    said: readSaid(given.messages ?? turn),
  }
}
