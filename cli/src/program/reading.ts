import { type Command, Option } from 'commander'
import { readContext } from '../commands/read-context.ts'
import { minEvidences, search, searchModes } from '../commands/search.ts'
import { sync } from '../commands/sync.ts'
import { type Adding, brainOption, collect, readBrainOptions } from './adding.ts'

const syncHelp = `
Reads .md, .mdx, .markdown, .txt, .rst and .adoc files. Each becomes the document <source>/<path>. The service plans the
update and applies it as one change. Repeating a sync writes only what has changed since.

With a management key, .pdf, .docx, .xlsx, .pptx, .epub, .html, .csv and .eml files are uploaded to <source>/<path> of the
organization's files, even with --plan, and their extracted text becomes the document. An unchanged file is not sent again.

New and edited files are written without asking. Documents of deleted files are retired (their versions can still be
read): at a terminal the command asks first, elsewhere it needs --yes. Retiring more than 50 documents that are also more
than a fifth of the source needs --allow-retire. --no-retire keeps them. If a part of the folder cannot be read, nothing
is retired.

Search finds new content by its words at once, and by its meaning once it is embedded, which continues after the command.
--wait waits for that.

Examples:
  noema sync ./docs --brain handbook --create --wait
  noema sync ./docs --brain handbook --plan
  noema sync . --brain handbook --source wiki --yes --json`

const searchHelp = `
Searches by words and by meaning. Use the id of a result to read the complete item. Each result begins with its evidence,
strong, weak or none: the evidence that it answers the question. A note says if nothing seems to.

Examples:
  noema search 'how to reset a password' --brain handbook
  noema search error 4711 --brain handbook --mode lexical --limit 3 --json
  noema search 'who leads Apollo?' --brain handbook --min-evidence strong`

const contextHelp = `
Prints records, statements and passages of documents for a model to read, each quoted in a frame with its id, so that
their text cannot be mistaken for instructions.

Examples:
  noema context 'how are passwords stored?' --brain handbook --tokens 2000
  noema context 'who leads Apollo?' --brain handbook --json`

/** Adds the command that copies a folder into a Brain. */
export const addSyncCommand = ({ program, context, finish }: Adding): void => {
  program
    .command('sync')
    .description('Copy the texts, PDFs and Office files of a folder into a Brain as documents')
    .argument('<folder>')
    .option(...brainOption)
    .option('--source <name>', "the first part of the documents' ids (default: the folder's name)")
    .option('--create', 'create the Brain if it does not exist (needs a management key)')
    .option('--plan', 'only show the changes')
    .option('--yes', 'retire the documents of deleted files without asking')
    .option('--no-retire', 'keep the documents of deleted files')
    .option('--allow-retire', 'allow a large number of retirements')
    .option('--wait', 'wait until everything can be found by search')
    .addHelpText('after', syncHelp)
    .action(async (folder: string, _, command: Command) => {
      finish(await sync(context, folder, readBrainOptions(context, command)))
    })
}

/** Adds the options that search and context filter by. */
export const addFilters = (command: Command): Command =>
  command
    .option('--kinds <kinds>', 'only records of these kinds and statements about them, separated by commas')
    .option('--types <types>', 'only record, statement or document, separated by commas')
    .option('--source <name>', 'only from this source')
    .option('--since <time>', 'only what happened, or else was created, at or after this time')
    .option('--until <time>', 'only what happened, or else was created, before this time')
    .option('--metadata <key=value>', 'only documents with this value of metadata; may be repeated', collect)

/** Adds the commands that ask a Brain. */
export const addReadingCommands = ({ program, context, finish }: Adding): void => {
  const searching = program
    .command('search')
    .description('Find records, statements and documents of a Brain')
    .argument('<words...>')
    .option(...brainOption)
    .addOption(new Option('--mode <mode>', 'how to search (default: hybrid)').choices(searchModes))
    .option('--limit <count>', 'maximum number of results, 1 to 100 (default: 10)')
  addFilters(searching)
    .addOption(new Option('--min-evidence <evidence>', 'leave out results with less').choices(minEvidences))
    .addHelpText('after', searchHelp)
    .action(async (words: string[], _, command: Command) => {
      finish(await search(context, words, readBrainOptions(context, command)))
    })
  const collecting = program
    .command('context')
    .description('Collect the context for a question, as Markdown within a token budget')
    .argument('<words...>')
    .option(...brainOption)
    .option('--tokens <count>', 'the token budget, 200 to 100000 (default: 4000)')
  addFilters(collecting)
    .addOption(new Option('--min-evidence <evidence>', 'leave out items with less').choices(minEvidences))
    .addHelpText('after', contextHelp)
    .action(async (words: string[], _, command: Command) => {
      finish(await readContext(context, words, readBrainOptions(context, command)))
    })
}
