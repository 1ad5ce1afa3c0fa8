import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files whose tests are made by a function elsewhere or start programs, so that their size says nothing about their time. */
const slow =
  /console\/test\/routes|(access\/secrets|openapi-lint|recovery-service|organization-webhooks\/killing|dates\/bounds)\.test\.ts$/

/** Starts the files that take longest first, so that none of them runs alone at the end. Vitest goes by their sizes. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
