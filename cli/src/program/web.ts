import type { Command } from 'commander'
import { addWebPages, deleteWebSource, listWebPages, refreshWebPages, removeWebPages } from '../commands/web.ts'
import { type Adding, brainOption, limitOption, readBrainOptions, yesOption } from './adding.ts'

const addHelp = `
The service fetches the pages within seconds, and again at intervals. noema web list <source> shows how it goes.

Examples:
  noema web add https://example.com/handbook --brain handbook
  noema web add https://example.com/a https://example.com/b.pdf --source wiki --every 7d`

const sourceOption = ['--source <name>', 'the web source that the pages belong to', 'web'] as const

/** Adds the commands about web pages. */
export const addWebCommands = ({ program, context, finish }: Adding): void => {
  const web = program.command('web').description('Web pages that are documents of a Brain, and are fetched again')
  web
    .command('add')
    .description('Add pages by their URLs')
    .argument('<urls...>')
    .option(...brainOption)
    .option(...sourceOption)
    .option('--every <time>', 'how often they are fetched, such as 12h or 7d, or never (default: 24h)')
    .addHelpText('after', addHelp)
    .action(async (urls: string[], _, command: Command) =>
      finish(await addWebPages(context, urls, readBrainOptions(context, command))),
    )
  web
    .command('remove')
    .description('Remove pages; their documents are retired')
    .argument('<urls...>')
    .option(...brainOption)
    .option(...sourceOption)
    .option(...yesOption)
    .action(async (urls: string[], _, command: Command) =>
      finish(await removeWebPages(context, urls, readBrainOptions(context, command))),
    )
  web
    .command('list')
    .description('List the web sources of a Brain, or the pages of one')
    .argument('[source]')
    .option(...brainOption)
    .option(...limitOption)
    .action(async (source: string | undefined, _, command: Command) =>
      finish(await listWebPages(context, source, readBrainOptions(context, command))),
    )
  web
    .command('refresh')
    .description('Fetch all pages of a web source now')
    .argument('<source>')
    .option(...brainOption)
    .action(async (source: string, _, command: Command) =>
      finish(await refreshWebPages(context, source, readBrainOptions(context, command))),
    )
  web
    .command('delete')
    .description('Delete a web source; its documents stay')
    .argument('<source>')
    .option(...brainOption)
    .option(...yesOption)
    .action(async (source: string, _, command: Command) =>
      finish(await deleteWebSource(context, source, readBrainOptions(context, command))),
    )
}
