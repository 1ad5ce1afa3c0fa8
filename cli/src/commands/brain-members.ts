import type { BrainClient } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { type Column, writeTable } from '../table.ts'

type Access = Awaited<ReturnType<BrainClient['access']['get']>>['access']
type Member = Access['members'][number]

/** The roles of `--role`. */
export const brainRoles = ['reader', 'writer', 'reviewer', 'manager'] as const satisfies Member['role'][]

const columns: Column<Member>[] = [
  { title: 'EMAIL', value: ({ email }) => email },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'ID', value: ({ userId }) => userId },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
]

const connect = (context: Context, options: GlobalOptions, brain: string): BrainClient =>
  connectClient(context, options).brain(brain)

const writeAccess = async (
  context: Context,
  options: GlobalOptions,
  brain: string,
  access: Access,
): Promise<number> => {
  if (options.json) {
    await writeJson(context.stdout, access)
    return exitCodes.ok
  }
  const whom = access.openTo === 'organization' ? 'every member of the organization' : 'these members only'
  await writeLine(context.stderr, `${brain} is open to ${whom}.`)
  await writeTable(context, options, { rows: access.members, columns })
  return exitCodes.ok
}

/** Lists the members of a Brain. */
export const listBrainMembers = async (context: Context, brain: string, options: GlobalOptions): Promise<number> => {
  const { access } = await connect(context, options, brain).access.get({ signal: context.signal })
  return writeAccess(context, options, brain, access)
}

/** Restricts a Brain to members, or opens it to its organization. */
export const openBrainTo = async (
  context: Context,
  brain: string,
  openTo: Access['openTo'],
  options: GlobalOptions,
): Promise<number> => {
  const { access } = await connect(context, options, brain).access.patch({ openTo }, { signal: context.signal })
  return writeAccess(context, options, brain, access)
}

/** Gives a member of the organization a role in a Brain. */
export const setBrainMember = async (
  context: Context,
  { brain, member }: { brain: string; member: string },
  options: GlobalOptions & { role: Member['role'] },
): Promise<number> => {
  const client = connect(context, options, brain)
  const put = await client.members.put(member, { role: options.role }, { signal: context.signal })
  await (options.json
    ? writeJson(context.stdout, put.member)
    : writeLine(context.stderr, `${put.member.email} is a ${put.member.role} of ${brain}.`))
  return exitCodes.ok
}

/** Takes a member out of a Brain. */
export const removeBrainMember = async (
  context: Context,
  { brain, member }: { brain: string; member: string },
  options: GlobalOptions,
): Promise<number> => {
  const removed = await connect(context, options, brain).members.remove(member, { signal: context.signal })
  await (options.json
    ? writeJson(context.stdout, removed.member)
    : writeLine(context.stderr, `${removed.member.email} has no access to ${brain} any more.`))
  return exitCodes.ok
}
