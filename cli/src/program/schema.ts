import { type Command, Option } from 'commander'
import { query } from '../commands/query.ts'
import { listSchemaVersions, showSchema } from '../commands/schema.ts'
import { evolveSchema, promotableTypes, promoteEmerged } from '../commands/schema-proposals.ts'
import { type Adding, brainOption, collect, keyOption, limitOption } from './adding.ts'

const approveOption = ['--approve', 'approve and publish it at once (needs the capability review)'] as const
const reasonOption = ['--reason <text>', 'why, for the reviewer'] as const

const evolveHelp = `
A field is name:type, then rules: required, many, indexed, unique, alias, notifyBefore=P7D,P0D. Types are string, text,
integer, number, boolean, date, datetime, json, and enum with its values. A declared field is replaced. A link is predicate:kinds, with
:one at the end where a record has at most one. A file has a list of operations as POST …/schema/evolve takes them.

Examples:
  noema schema evolve --brain shop --kind order --field status:enum=new,paid,late:indexed --field amount:number:indexed
  noema schema evolve --brain shop --kind order --field due:date:indexed:notifyBefore=P7D,P0D --link customer:company:one
  noema schema evolve --brain shop --file operations.json --reason 'Orders have a status' --approve`

const queryHelp = `
A condition is name=value, name<value, name<=value, name>value or name>=value; the value is JSON if it parses as JSON, else text.
Fields have to be declared indexed: see noema schema evolve.

Examples:
  noema query order --brain shop --where status=late --count
  noema query order --brain shop --by status --of amount
  noema query order --brain shop --where 'due>=2026-01-01' --where 'due<2026-02-01' --by due --interval day
  noema query order --brain shop --where 'status={"in": ["late", "new"]}' --limit 20`

const addProposals = (schema: Command, { context, finish }: Adding): void => {
  schema
    .command('evolve')
    .description('Propose a change of the schema, which then waits for review')
    .option(...brainOption)
    .option('--kind <kind>', 'the kind that changes; a new one is added')
    .option('--field <declaration>', 'declare a field, such as status:string:indexed; may be repeated', collect)
    .option('--link <declaration>', 'declare a link, such as customer:company; may be repeated', collect)
    .option('--retire-field <name>', 'declare a field no longer; may be repeated', collect)
    .option('--retire-link <predicate>', 'declare a link no longer; may be repeated', collect)
    .option('--retire', 'declare the kind no longer')
    .option('--strict', 'refuse records of the kind with anything that is not declared')
    .option('--no-strict', 'accept such records again')
    .option('--file <file>', 'a JSON file of operations, or - for standard input')
    .option(...reasonOption)
    .option(...approveOption)
    .option(...keyOption)
    .addHelpText('after', evolveHelp)
    .action(async (_, command: Command) => finish(await evolveSchema(context, command.optsWithGlobals())))
  schema
    .command('promote')
    .description('Propose to declare what records have, as schema show --emerged names it')
    .argument('<names...>')
    .option(...brainOption)
    .addOption(new Option('--as <type>', 'the type of the fields (default: as suggested)').choices(promotableTypes))
    .option(...reasonOption)
    .option(...approveOption)
    .option(...keyOption)
    .action(async (names: string[], _, command: Command) =>
      finish(await promoteEmerged(context, names, command.optsWithGlobals())),
    )
}

/** Adds the commands about the schema of a Brain, and the query that uses it. */
export const addSchemaCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const schema = program.command('schema').description('The schema of a Brain: kinds, fields and links')
  schema
    .command('show')
    .description('Show the schema')
    .option(...brainOption)
    .option('--schema-version <number>', 'this version (default: the current one)')
    .option('--emerged', 'show what records have and the schema does not declare')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await showSchema(context, command.optsWithGlobals())))
  addProposals(schema, adding)
  schema
    .command('history')
    .description('List the versions of the schema, with what each changed')
    .option(...brainOption)
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listSchemaVersions(context, command.optsWithGlobals())))
  program
    .command('query')
    .description('Read, count or group the records of a kind by slug or indexed fields')
    .argument('<kind>')
    .option(...brainOption)
    .option('--where <condition>', 'a condition, such as status=late; may be repeated', collect)
    .option('--count', 'count them')
    .option('--by <field>', 'count them by the values of a field')
    .addOption(
      new Option('--interval <interval>', 'count them by the dates in --by').choices([
        'hour',
        'day',
        'week',
        'month',
        'year',
      ]),
    )
    .option('--source <name>', 'only records from this source')
    .option('--since <time>', 'only records that were created at or after this time')
    .option('--until <time>', 'only records that were created before this time')
    .option('--of <field>', 'sum, mean, smallest and largest value of a field of numbers')
    .option('--limit <count>', 'maximum number of records, 1 to 500 (default: 100)')
    .addHelpText('after', queryHelp)
    .action(async (kind: string, _, command: Command) => finish(await query(context, kind, command.optsWithGlobals())))
}
