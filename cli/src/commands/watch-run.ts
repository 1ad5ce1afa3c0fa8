import type { Client } from '@noema/sdk'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { answerAtTerminal } from './answer-task.ts'
import { readAnswer, reportEnd } from './show-run.ts'

type PartOf<Stream> = Stream extends AsyncIterable<infer Part> ? Part : never
type RunPart = PartOf<ReturnType<Client['runs']['stream']>>

/** Longest text of a tool's arguments that a line shows. */
const maxShownLength = 200

const shorten = (value: unknown): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)} …` : text
}

/** Writes the text of a run as it arrives, and its other steps to standard error. */
const createView = ({ stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>) => {
  const toolNames = new Map<string, string>()
  let isLineOpen = false
  let hasText = false
  const endLine = async () => {
    if (isLineOpen) await writeText(stdout, '\n')
    isLineOpen = false
  }
  const note = async (line: string) => {
    await endLine()
    await writeLine(stderr, line)
  }
  const show = async (part: RunPart): Promise<void> => {
    if (part.type === 'text-start') return endLine()
    if (part.type === 'text-delta') {
      hasText = true
      isLineOpen = !part.delta.endsWith('\n')
      return writeText(stdout, part.delta)
    }
    if (part.type === 'tool-input-available') {
      toolNames.set(part.toolCallId, part.toolName)
      return note(`> ${part.toolName} ${shorten(part.input)}`)
    }
    const name = 'toolCallId' in part ? (toolNames.get(part.toolCallId) ?? part.toolCallId) : ''
    if (part.type === 'tool-output-available') return note(`< ${name}`)
    if (part.type === 'tool-output-error') return note(`< ${name} failed: ${part.errorText}`)
    if (part.type === 'data-restart')
      return note(
        'noema: The run was interrupted and repeats its last step. The following text replaces its earlier one.',
      )
  }
  return { show, endLine, hasText: () => hasText }
}

/** Answers the questions of a run while the stream continues: someone else may be faster. */
const createAnswers = (context: Context, client: Client) => {
  const open = new Map<string, AbortController>()
  const hear = async (part: RunPart) => {
    if (part.type !== 'data-task') return
    const { taskId, state } = part.data
    if (state !== 'open') return open.get(taskId)?.abort()
    const controller = new AbortController()
    open.set(taskId, controller)
    await answerAtTerminal(context, client, taskId, controller.signal)
  }
  const stop = () => {
    for (const controller of open.values()) controller.abort()
  }
  return { hear, stop }
}

/**
 * Shows a run from its beginning until it has finished: its text on standard output, its tool calls on standard error. Its
 * questions are asked at the terminal. With `--json` each part of its stream is one line. Ctrl-C only stops watching.
 */
export const watchRun = async (context: Context, client: Client, runId: string, options: GlobalOptions) => {
  const { signal, stdout, stderr } = context
  const view = createView(context)
  const answers = createAnswers(context, client)
  try {
    for await (const part of client.runs.stream(runId, { signal })) {
      if (options.json) await writeJson(stdout, part)
      else {
        await view.show(part)
        await answers.hear(part)
      }
    }
  } finally {
    answers.stop()
  }
  await view.endLine()
  if (signal.aborted) {
    if (!options.json) await writeLine(stderr, `The run continues. Watch it again: noema runs follow ${runId}`)
    return exitCodes.interrupted
  }
  const { run } = await client.runs.get(runId, { signal })
  if (!options.json && run.output !== undefined && !view.hasText())
    await writeText(stdout, `${await readAnswer(client, run, signal)}\n`)
  return reportEnd(context, run)
}
