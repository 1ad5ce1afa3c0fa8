import type { JSONSchema7 } from '@ai-sdk/provider'
import { artifactPath } from '@noema/contracts/artifacts.ts'
import { z } from 'zod'
import type { AppDeps } from '../../api/app-deps.ts'
import { failCall } from '../../api/tools/call-tool.ts'
import { refuseAt } from '../../shared/errors.ts'
import type { Sandbox } from '../../shared/isolation/bubblewrap.ts'
import { runIsolatedCode } from '../code/run-isolated-code.ts'
import { runPython } from '../code/run-python.ts'
import { boundOutput } from './bound-output.ts'
import { type RunIdentity, toOutput } from './brain-tools.ts'
import { readFilesForCode, storeFilesOfCode, toSubject } from './code-files.ts'
import { isRepeated } from './retry-later.ts'
import { type RunTool, type ToolContext, type ToolOutcome, toBuiltinSource } from './run-tool.ts'

// The tool that runs code. The time of the operation is the only one that the code sees, and its random numbers come from it, so a
// call that a crash interrupts is simply made again.

const maxCode = 64 * 1024
const maxInput = 256 * 1024
const maxFiles = 10
const maxWaitMilliseconds = 30_000

const input = z.strictObject({
  code: z
    .string('code is a text.')
    .min(1)
    .max(maxCode)
    .describe('The code. The value of its last expression is the result.'),
  input: z.unknown().optional().describe('A JSON value that the code has as `input`.'),
})

const language = z
  .enum(['javascript', 'python'])
  .optional()
  .describe('The language of the code; JavaScript if not given.')

const files = z
  .array(artifactPath)
  .max(maxFiles, `A call reads at most ${maxFiles} files.`)
  .optional()
  .describe('Paths of files of the organization that the code may read, with at most 4 MiB together.')

/** The abilities of a run's code, and the sandbox for Python. */
type CodeAbilities = { mayRead: boolean; mayWrite: boolean; sandbox: Sandbox | undefined }

const toShape = ({ mayRead, sandbox }: CodeAbilities) =>
  input.extend({ ...(sandbox ? { language } : {}), ...(mayRead ? { files } : {}) })

/** Every argument that some run may give. */
const anyInput = input.extend({ language, files })

const about = (inPython: boolean) =>
  `Run JavaScript (ES2023)${inPython ? ' or Python' : ''} for calculations, dates, and work on texts and data. It has no network${inPython ? '' : ', timers'} or packages${inPython ? ' but those that the system has' : ''}, and at most ten seconds. The value of the last expression is the result, as JSON; ${inPython ? 'console.log or print' : 'console.log'} prints. Pass data as \`input\`. The clock does not advance during a call.`
const aboutReading = (inPython: boolean) =>
  ` Name files in \`files\` to read them with readFile(path)${inPython ? ', or in Python below /files/in/' : ''}.`
const aboutWriting = (inPython: boolean) =>
  ` writeFile(path, text)${inPython ? ', or in Python each file in the working folder,' : ''} writes a file into the folder of this run, which people and other agents can read, if the code ends without an error.`

const describe = ({ mayRead, mayWrite, sandbox }: CodeAbilities): string => {
  const inPython = sandbox !== undefined
  return [about(inPython), mayRead ? aboutReading(inPython) : '', mayWrite ? aboutWriting(inPython) : ''].join('')
}

const parseInput = (given: unknown, abilities: CodeAbilities): z.output<typeof anyInput> => {
  const { data, error } = anyInput.safeParse(given, { jitless: true })
  if (!error) {
    if ((JSON.stringify(data.input) ?? '').length > maxInput)
      throw refuseAt(['input'], `input has at most ${maxInput} characters of JSON.`)
    if (data.language === 'python' && !abilities.sandbox)
      throw refuseAt(['language'], 'This service runs JavaScript alone. Its operator can allow Python.')
    if ((data.files ?? []).length > 0 && !abilities.mayRead)
      throw refuseAt(['files'], 'This agent reads no files: it does not list artifact_read.')
    return data
  }
  const { path = [], message = 'The arguments of a tool are an object.' } = error.issues[0] ?? {}
  throw refuseAt(
    path.map((part) => (typeof part === 'number' ? part : String(part))),
    message,
  )
}

type Called = { deps: AppDeps; run: RunIdentity; abilities: CodeAbilities }

const call = async (called: Called, given: unknown, context: ToolContext): Promise<ToolOutcome> => {
  const { deps, run, abilities } = called
  const { mayWrite, sandbox } = abilities
  const { code, input: value = null, language: written, files: paths = [] } = parseInput(given, abilities)
  const leave = await deps.open.wait('code', toSubject(run), maxWaitMilliseconds)
  try {
    const read = await readFilesForCode(called, paths, context)
    const asked = { code, input: JSON.stringify(value), files: read, now: context.begunAt, mayWrite }
    const options = { signal: context.signal }
    const answer =
      sandbox && written === 'python' ? runPython(sandbox, asked, options) : runIsolatedCode(asked, options)
    const { result, output, error, files: made } = await answer
    const stored = made.length === 0 ? undefined : await storeFilesOfCode(called, made, context)
    const shown = {
      ...(error === undefined ? { result: result === undefined ? null : JSON.parse(result) } : { error }),
      ...(output === '' ? {} : { output }),
      ...(stored === undefined ? {} : { files: stored }),
    }
    return { output: boundOutput(shown), isError: error !== undefined }
  } finally {
    leave()
  }
}

const shown = { name: 'run_code', title: 'run_code', description: about(false), actions: {} }

const schemas = new Map<string, JSONSchema7>()

const toSchema = (abilities: CodeAbilities): JSONSchema7 => {
  const kind = `${abilities.mayRead} ${abilities.sandbox !== undefined}`
  const known = schemas.get(kind)
  if (known) return known
  const { $schema, ...schema } = z.toJSONSchema(toShape(abilities), { io: 'input' })
  schemas.set(kind, schema as JSONSchema7)
  return schema as JSONSchema7
}

/** The tool that runs code. `toName` gives it its name. */
export const codeTool = (
  deps: AppDeps,
  run: RunIdentity,
  abilities: CodeAbilities,
  toName: (requested: string, source: string) => string,
): RunTool => ({
  kind: 'call',
  name: toName('run_code', 'noema'),
  description: describe(abilities),
  inputSchema: toSchema(abilities),
  source: toBuiltinSource('run_code'),
  isRepeatable: true,
  call: async (given, context) => {
    context.signal.throwIfAborted()
    const throws = (error: unknown) => context.signal.aborted || isRepeated(error, context.isLastTry)
    try {
      return await call({ deps, run, abilities }, given, context)
    } catch (error) {
      if (throws(error)) throw error
      return { output: boundOutput(toOutput(shown, failCall(deps, shown, error))), isError: true }
    }
  },
})
