import { type Command, Option } from 'commander'
import {
  deleteCorpus,
  listCorpora,
  putCorpus,
  readCorpusContext,
  searchCorpus,
  showCorpus,
} from '../commands/corpora.ts'
import { minEvidences, searchModes } from '../commands/search.ts'
import { type Adding, limitOption, yesOption } from './adding.ts'
import { addFilters } from './reading.ts'

const putHelp = `
A file is JSON: a list of parts, each with "brain" and, if only a part of it is to be read, "types", "kinds", "sources", "where"
and "asOf".

Examples:
  noema corpora put support handbook tickets
  noema corpora put support --file parts.json`

const searchHelp = `
Examples:
  noema corpora search support 'how to reset a password'
  noema corpora search support error 4711 --mode lexical --limit 3 --json`

const addAsking = (corpora: Command, { context, finish }: Adding): void => {
  const searching = corpora
    .command('search')
    .description('Find records, statements and documents in all Brains of a corpus')
    .argument('<corpus>')
    .argument('<words...>')
    .addOption(new Option('--mode <mode>', 'how to search (default: hybrid)').choices(searchModes))
    .option('--limit <count>', 'maximum number of results, 1 to 100 (default: 10)')
  addFilters(searching)
    .addOption(new Option('--min-evidence <evidence>', 'leave out results with less').choices(minEvidences))
    .addHelpText('after', searchHelp)
    .action(async (corpus: string, words: string[], _, command: Command) =>
      finish(await searchCorpus(context, corpus, { words, options: command.optsWithGlobals() })),
    )
  const collecting = corpora
    .command('context')
    .description('Collect the context for a question from all Brains of a corpus')
    .argument('<corpus>')
    .argument('<words...>')
    .option('--tokens <count>', 'the token budget, 200 to 100000 (default: 4000)')
  addFilters(collecting)
    .addOption(new Option('--min-evidence <evidence>', 'leave out items with less').choices(minEvidences))
    .action(async (corpus: string, words: string[], _, command: Command) =>
      finish(await readCorpusContext(context, corpus, { words, options: command.optsWithGlobals() })),
    )
}

/** Adds the commands about corpora. */
export const addCorpusCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const corpora = program
    .command('corpora')
    .description('Sets of Brains that are read together (need a management key)')
  corpora
    .command('list')
    .description('List the corpora of the organization')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listCorpora(context, command.optsWithGlobals())))
  corpora
    .command('put')
    .description('Create a corpus of some Brains, or replace it')
    .argument('<corpus>', 'its name: 1 to 63 of a-z, 0-9 and -')
    .argument('[brains...]', 'the handles of its Brains, up to 20')
    .option('--file <file>', 'a JSON file with the parts, or - for standard input')
    .addHelpText('after', putHelp)
    .action(async (name: string, brains: string[], _, command: Command) =>
      finish(await putCorpus(context, { name, brains }, command.optsWithGlobals())),
    )
  corpora
    .command('show')
    .description('Show the Brains of a corpus, and what of each is read')
    .argument('<corpus>')
    .action(async (name: string, _, command: Command) =>
      finish(await showCorpus(context, name, command.optsWithGlobals())),
    )
  corpora
    .command('delete')
    .description('Delete a corpus; its Brains stay')
    .argument('<corpus>')
    .option(...yesOption)
    .action(async (name: string, _, command: Command) =>
      finish(await deleteCorpus(context, name, command.optsWithGlobals())),
    )
  addAsking(corpora, adding)
}
