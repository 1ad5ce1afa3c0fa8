import { type BrainPlace, bearer, cli, client, script, shell, word } from './examples.ts'

/** A whole Brain as a file. */
export const exportCode = (place: BrainPlace, history: boolean) => ({
  curl: `curl ${shell(`${place.baseUrl}/v1/brains/${place.handle}/export${history ? '?history=true' : ''}`)} \\\n  ${bearer} -o ${word(`${place.handle}.ndjson`)}`,
  sdk: `${client(place)}const lines = await client.brain(${script(place.handle)}).export(${history ? script({ history }) : ''})`,
  cli: cli(
    place,
    `export --brain ${word(place.handle)}${history ? ' --history' : ''} > ${word(`${place.handle}.ndjson`)}`,
  ),
})
