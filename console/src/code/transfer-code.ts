import { type BrainTarget, bearer, cli, client, script, shell, word } from './examples.ts'

/** A whole Brain as a file. */
export const exportCode = (target: BrainTarget, history: boolean) => ({
  curl: `curl ${shell(`${target.baseUrl}/v1/brains/${target.handle}/export${history ? '?history=true' : ''}`)} \\\n  ${bearer} -o ${word(`${target.handle}.ndjson`)}`,
  sdk: `${client(target)}const lines = await client.brain(${script(target.handle)}).export(${history ? script({ history }) : ''})`,
  cli: cli(
    target,
    `export --brain ${word(target.handle)}${history ? ' --history' : ''} > ${word(`${target.handle}.ndjson`)}`,
  ),
})
