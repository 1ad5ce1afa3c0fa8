import type { Command } from 'commander'
import type { Context } from './context.ts'
import { createProgram } from './program.ts'

type Described = { name: string; about: string }

/** One command as the reference shows it. */
export type CommandDescription = {
  /** The group that the help lists it in. */
  group: string
  usage: string
  about: string
  arguments: Described[]
  options: Described[]
  /** The rest of its help: notes and examples. */
  notes: string
  hasCommands: boolean
}

const describe = (command: Command, group: string): CommandDescription[] => {
  const help = command.createHelp()
  let notes = ''
  command.configureOutput({ writeOut: (text) => (notes += text) })
  command.outputHelp()
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help' && long !== '--version')
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  return [
    {
      group,
      usage: help.commandUsage(command).replace(' [options]', ''),
      about: command.description(),
      arguments: help
        .visibleArguments(command)
        .map((argument) => ({ name: argument.name(), about: help.argumentDescription(argument) })),
      options: options.map((option) => ({ name: option.flags, about: help.optionDescription(option) })),
      notes: notes.slice(command.helpInformation().length).trim(),
      hasCommands: commands.length > 0,
    },
    ...commands.flatMap((one) => describe(one, one.helpGroup() || group)),
  ]
}

/** Every command of the program with what its help says, the program itself first. */
export const describeProgram = (): CommandDescription[] => {
  const nowhere = { write: () => true } as unknown as Context['stdout']
  const context = { stdout: nowhere, stderr: nowhere } as Context
  return describe(
    createProgram(context, false, () => undefined),
    '',
  )
}
