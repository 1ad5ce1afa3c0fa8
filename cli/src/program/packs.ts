import type { Command } from 'commander'
import { exportPack } from '../commands/export-pack.ts'
import { deletePack, installPack, listPacks, pushPack } from '../commands/packs.ts'
import { type Adding, brainOption, collect, readBrainOptions, yesOption } from './adding.ts'

/** Adds the commands about packs. */
export const addPackCommands = ({ program, context, finish }: Adding): void => {
  const packs = program
    .command('packs')
    .description('Packs of kinds, agents, triggers, skills, evals and rubrics (need a management key)')
  packs
    .command('list')
    .description('List the packs of the service and of the organization')
    .action(async (_, command: Command) => finish(await listPacks(context, command.optsWithGlobals())))
  packs
    .command('install')
    .description('Install a pack on a Brain; its changes there wait for review')
    .argument('<pack>')
    .option('--brain <handle>', "the Brain, created if it does not exist (default: the pack's name)")
    .option('--model <model>', 'the model of its agents (default: noema/extractive)')
    .option('--set <name=value>', 'the value of a parameter; may be repeated', collect)
    .option('--pack-version <number>', 'this version (default: that of the Brain, else the newest)')
    .action(async (pack: string, _, command: Command) =>
      finish(await installPack(context, pack, command.optsWithGlobals())),
    )
  packs
    .command('push')
    .description('Store a file as a pack of the organization, or as its next version')
    .argument('<file>', 'a file of JSON; its name is that of the pack')
    .option('--name <name>', 'another name')
    .action(async (file: string, _, command: Command) =>
      finish(await pushPack(context, file, command.optsWithGlobals())),
    )
  packs
    .command('export')
    .description('Make a pack of the kinds, agents, triggers, skills, evals and rubrics of a Brain')
    .option(...brainOption)
    .option('--output <file>', 'write it into this file (default: standard output)')
    .action(async (_, command: Command) => finish(await exportPack(context, readBrainOptions(context, command))))
  packs
    .command('delete')
    .description('Delete a pack of the organization; what it brought to Brains stays')
    .argument('<pack>')
    .option(...yesOption)
    .action(async (pack: string, _, command: Command) =>
      finish(await deletePack(context, pack, command.optsWithGlobals())),
    )
}
