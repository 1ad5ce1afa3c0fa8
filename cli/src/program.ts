import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { Context } from './context.ts'
import { exitCodes, toExitCode, UsageError } from './exit-codes.ts'
import { writeFailure } from './output.ts'
import { addAgentCommands } from './program/agents.ts'
import { addBackupCommands } from './program/backups.ts'
import { addBrainCommands, addStreamCommands } from './program/brains.ts'
import { addBundleCommands } from './program/bundles.ts'
import { addChangeCommands } from './program/changes.ts'
import { addDocumentCommands, addRecordCommands } from './program/content.ts'
import { addCorpusCommands } from './program/corpora.ts'
import { addDerivedPageCommands } from './program/derived-pages.ts'
import { addDistillCommands } from './program/distill.ts'
import { addEvalCommands } from './program/evals.ts'
import { addFileCommands } from './program/files.ts'
import { addGoalCommands } from './program/goals.ts'
import { addHookCommands } from './program/hooks.ts'
import { addKeyCommands } from './program/keys.ts'
import { addReadingCommands, addSyncCommand } from './program/reading.ts'
import { addRubricCommands } from './program/rubrics.ts'
import { addScheduleCommands } from './program/schedules.ts'
import { addSchemaCommands } from './program/schema.ts'
import { addServiceCommands } from './program/service.ts'
import { addSetupCommands } from './program/setup.ts'
import { addSkillCommands } from './program/skills.ts'
import { addWebCommands } from './program/web.ts'

const help = `
Examples:
  noema serve
  noema keys mint | noema login
  noema sync ./docs --brain handbook --create
  noema search 'how to reset a password' --brain handbook
  noema events follow --brain handbook --json
  noema runs start Librarian 'who leads Apollo?' --follow

Data is written to standard output, everything else to standard error. Lists are tables at a terminal, and rows with tabs
between elsewhere; with --json each row is a JSON document. NO_COLOR is respected.
Exit codes: 0 ok, 1 unexpected error, 2 usage, 3 not authorized, 4 not found, 5 conflict, 6 invalid,
7 rate limited or unreachable, 8 a run failed or was cancelled, 9 an eval did not reach
its least score, 130 interrupted.`

/** Creates the program with all its commands; `finish` gets the exit code of the one that ran. */
export const createProgram = (context: Context, isJson: boolean, finish: (code: number) => void): Command => {
  const program = new Command('noema')
    .description('Knowledge stores for AI agents: reviewable writes and one ordered stream of events.')
    .version(packageJson.version)
    .option(
      '--base-url <url>',
      'address of the service (NOEMA_BASE_URL, else http://127.0.0.1 with NOEMA_PORT or 4100)',
    )
    .option('--api-key <key>', 'a management or Brain key (NOEMA_API_KEY)')
    .option('--profile <name>', 'address and key of this login (NOEMA_PROFILE, else the last login)')
    .option('--json', 'print JSON, errors too')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      // Under --json the error follows in the envelope.
      outputError: (text, write) => (isJson ? undefined : write(text)),
    })
    .showHelpAfterError(isJson ? false : 'Add --help to see how it is called.')
    .exitOverride()
    .addHelpText('after', help)
  const adding = { program, context, finish }
  program.commandsGroup('Service:')
  addServiceCommands(adding)
  addBackupCommands(adding)
  addKeyCommands(adding)
  program.commandsGroup('Knowledge:')
  addBrainCommands(adding)
  addRecordCommands(adding)
  addDocumentCommands(adding)
  addWebCommands(adding)
  addFileCommands(adding)
  addSchemaCommands(adding)
  addSyncCommand(adding)
  addReadingCommands(adding)
  addCorpusCommands(adding)
  addSkillCommands(adding)
  addBundleCommands(adding)
  addDerivedPageCommands(adding)
  addDistillCommands(adding)
  addEvalCommands(adding)
  addRubricCommands(adding)
  addGoalCommands(adding)
  addChangeCommands(adding)
  addStreamCommands(adding)
  program.commandsGroup('Agents:')
  addAgentCommands(adding)
  addScheduleCommands(adding)
  program.commandsGroup('This machine:')
  addSetupCommands(adding)
  addHookCommands(adding)
  return program
}

const finishFailure = async (error: unknown, context: Context, isJson: boolean): Promise<number> => {
  // The reader of the output is gone (`| head`): nothing is left to do, and nothing went wrong.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return exitCodes.ok
  if (context.signal.aborted) return exitCodes.interrupted
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok
    const message = error.message.replace(/^error: /, '')
    if (isJson) await writeFailure(context.stderr, new UsageError(message), true)
    return exitCodes.usage
  }
  await writeFailure(context.stderr, error, isJson)
  return toExitCode(error)
}

/** Runs one command line (without the program's own name) and gives its exit code; it never throws. */
export const run = async (argv: readonly string[], context: Context): Promise<number> => {
  const isJson = argv.includes('--json')
  let code: number = exitCodes.ok
  const program = createProgram(context, isJson, (given) => {
    code = given
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return finishFailure(error, context, isJson).catch(() => exitCodes.unexpected)
  }
}
