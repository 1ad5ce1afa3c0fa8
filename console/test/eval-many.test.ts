import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// A run of an eval with a thousand cases and twenty graders.

let call: Call
let evalId: string

// Without workers, so that the run stays as it is stored.
const service = provideOwnService(async () => ({ NOEMA_ROLES: 'http' }))
const graderNames = Array.from({ length: 20 }, (_, number) => `grader-${number}`)

/** Stores the results of a thousand cases, as their run would: each grade of every tenth case failed, and of the others one. */
const storeResults = (runId: string) =>
  service.database.pool.query(
    `insert into eval_results (organization_id, eval_run_id, case_id, trial, state, output, grades, passed, score, milliseconds)
     select organization_id, id, 'case-' || lpad(n::text, 4, '0'), 1, 'done', repeat('The harbor has a tide. ', 40),
       (select jsonb_agg(jsonb_build_object('grader', grader, 'passed', passed, 'score', passed::integer)
          || case when passed then '{}'::jsonb else '{"reason": "The answer does not have \\"noon\\"."}' end)
        from (select grader, n % 10 <> 0 and grader <> 'grader-7' as passed from unnest($2::text[]) as grader) as graded),
       false, 0.5, 10
     from eval_runs, generate_series(0, 999) n where id = $1
     on conflict (organization_id, eval_run_id, case_id, trial) do nothing`,
    [runId, graderNames],
  )

const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'eval-many@example.com')
    await call('PUT', '/v1/brains/harbor', {})
    const cases = Array.from({ length: 1_000 }, (_, number) => ({
      ...{ id: `case-${String(number).padStart(4, '0')}`, input: `When is high tide ${number}?` },
    }))
    const graders = graderNames.map((name) => ({ type: 'contains', name, values: ['noon'] }))
    const target = { brain: 'harbor', read: 'search' }
    const made = await call('POST', '/v1/evals', { name: 'Many', target, cases, graders })
    evalId = made.eval.id
    const { run } = await call('POST', `/v1/evals/${evalId}/runs`, {})
    await call('POST', `/v1/eval-runs/${run.id}/cancel`)
    await storeResults(run.id)
  },
)

test('EVL-38 the page of a run with a thousand cases and twenty graders draws one page of cases, and the next on request', async () => {
  const { page } = browser
  await page.goto(`/evals?open=${evalId}`)
  const state = page.getByRole('table', { name: 'Runs of the eval' }).getByText('canceled')
  await state.waitFor()
  await state.click()
  const panel = page.getByRole('region', { name: 'Cases of the run' })
  const results = panel.locator('.eval-result')
  await results.nth(49).waitFor()
  expect(await results.count()).toBe(50)
  // Of twenty graders, those that passed are one line.
  await results.nth(1).getByText('19 passed').waitFor()
  expect(await results.nth(1).locator('.eval-grades > li').count()).toBe(2)
  expect(await results.nth(0).locator('.eval-grades > li').count()).toBe(20)
  expect(await page.locator('*').count()).toBeLessThan(2_500)
  // Cases above get their height when they come into view, so the button may move under a mouse.
  await panel.getByRole('button', { name: 'Show more' }).press('Enter')
  const readShown = async () => [await results.count(), await panel.getByRole('alert').allTextContents()]
  await expect.poll(readShown).toEqual([100, []])
  expect(await barriers(page)).toEqual([])
})
