import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { afterAll, expect, test } from 'vitest'
import { readEvalFile } from '../evals/read-eval-file.ts'
import { runCli } from '../test/run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-evals-'))
afterAll(() => rmSync(folder, { recursive: true }))

const id = `evl_${'0'.repeat(26)}`
const tested = {
  ...{ id, version: 2, name: 'Tides', target: { brainId: 'brn_1', brain: 'harbor', read: 'search' }, cases: 2 },
  graders: [{ type: 'found' }, { type: 'evidence' }],
}
const summary = { cases: 2, passed: 1, score: 0.85, byGrader: [], costCents: 0, p50Ms: 12 }
const run = {
  ...{ id: 'evr_1', evalId: id, state: 'completed', cases: 2, trials: 1, done: 2, passed: 1, summary },
  ...{
    baseline: { id: 'evr_0', delta: -0.05, flipped: ['neap'], flippedCases: 1 },
    completedAt: '2026-01-01T00:00:00.000Z',
  },
}
const failed = [
  { caseId: 'neap', grades: [{ grader: 'found', passed: false, reason: 'It did not read the document "tide".' }] },
]

const serve = (end: object = run) =>
  startScriptedServer(({ method, url: path = '' }) => {
    if (method === 'POST') return { data: { run: { ...run, completedAt: null }, eval: tested } }
    if (path.includes('/cases')) return { data: { cases: failed, cursor: 'c', hasMore: false } }
    if (path.includes('/v1/eval-runs/')) return { data: { run: end } }
    if (path.includes('/runs')) return { data: { runs: [run], cursor: 'c', hasMore: false } }
    if (path.includes('?')) return { data: { evals: [tested], cursor: 'c', hasMore: false } }
    return { data: { eval: tested } }
  })

test('EVL-20 evals run waits, prints what failed, and its exit code says if the score is too low', async () => {
  const { url, requests } = await serve()
  const passed = await runCli(['evals', 'run', 'Tides', '--fail-under', '0.8', '--as-of', '7'], url)
  expect(passed).toEqual({
    code: 0,
    stdout: 'evr_1  completed  85.0 %  1 of 2 passed  -5.0, 1 flipped\n  neap: It did not read the document "tide".\n',
    stderr: '',
  })
  const started = requests.find(({ method }) => method === 'POST')
  expect([started?.url, JSON.parse(started?.body ?? '')]).toEqual([`/v1/evals/${id}/runs`, { asOf: 7 }])
  expect((await runCli(['evals', 'run', id, '--fail-under', '.9'], url)).code).toBe(9)
  expect((await runCli(['evals', 'run', id], url)).code).toBe(0)
  expect((await runCli(['evals', 'run', id, '--fail-under', '90'], url)).code).toBe(2)
  expect((await runCli(['evals', 'run', 'Winds'], url)).code).toBe(4)
  const broken = await serve({ ...run, state: 'failed', summary: undefined, failureReason: 'It is gone.' })
  expect(await runCli(['evals', 'run', id], broken.url)).toMatchObject({ code: 9, stderr: 'noema: It is gone.\n' })
})

test('EVL-20 evals list and show', async () => {
  const { url } = await serve()
  expect((await runCli(['evals', 'list'], url)).stdout).toBe(`${id}\tTides\tBrain harbor\t2\n`)
  const { stdout } = await runCli(['evals', 'show', 'Tides'], url)
  expect(stdout).toContain('Brain harbor, 2 cases, graded by found, evidence')
  expect(stdout).toContain('evr_1  completed  85.0 %')
})

const promptfoo = `
description: Support
prompts: ['Answer shortly: {{question}}']
tests:
  - description: Opening hours
    vars: { question: When do you open? }
    assert:
      - { type: icontains, value: nine }
      - { type: llm-rubric, value: is polite }
  - vars: { question: Where? }
    assert: [{ type: regex, value: 'pier \\d+' }]
  - vars: { question: Why? }
    assert: [{ type: python, value: 'len(output) > 1' }]
  - {}
`

test('EVL-21 a configuration of promptfoo becomes cases and graders, and the rest is reported', () => {
  const { name, cases, graders, unmapped } = readEvalFile(promptfoo)
  expect(name).toBe('Support')
  expect(cases).toEqual([
    { id: 'Opening-hours', input: 'Answer shortly: When do you open?', expected: { contains: ['nine'] } },
    { id: 'case-2', input: 'Answer shortly: Where?', expected: { pattern: 'pier \\d+' } },
  ])
  expect(graders).toEqual([
    { type: 'contains', ignoreCase: true },
    { type: 'regex', ignoreCase: false },
  ])
  expect(unmapped.map(({ place }) => place)).toEqual([
    'tests[0].assert[1]',
    'tests[2].assert[0]',
    'tests[2]',
    'tests[3]',
  ])
})

test('EVL-21 rows and exports of OpenAI become cases, and rows without one answer are reported', async () => {
  const rows = [
    { item: { question: 'Capital of France?', answer: 'Paris' } },
    {
      input: [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'Two?' },
      ],
      ideal: ['2'],
    },
    { input: 'Which?', ideal: ['a', 'b'] },
    { item: { answer: 'no question' } },
  ]
  const imported = readEvalFile(rows.map((row) => JSON.stringify(row)).join('\n'))
  expect(imported.cases).toEqual([
    { id: 'case-1', input: 'Capital of France?', expected: { answer: 'Paris' } },
    { id: 'case-2', input: 'Two?', expected: { answer: '2' } },
  ])
  expect(imported.unmapped.map(({ place }) => place)).toEqual(['row 3', 'row 4'])
  const file = join(folder, 'export.json')
  const testing_criteria = [{ type: 'string_check', operation: 'like' }, { type: 'score_model' }]
  const source = { type: 'file_content', content: [rows[0]] }
  writeFileSync(file, JSON.stringify({ name: 'Capitals', testing_criteria, data_source: { source } }))
  const { url, requests } = await serve()
  const made = await runCli(['evals', 'import', file, '--brain', 'harbor'], url)
  expect(made).toMatchObject({ code: 0, stdout: `${id}\n` })
  expect(made.stderr).toContain('testing_criteria[1]: score_model has no counterpart')
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({
    ...{ name: 'Capitals', target: { brain: 'harbor', read: 'search' } },
    cases: [{ id: 'case-1', input: 'Capital of France?', expected: { answer: 'Paris' } }],
    graders: [{ type: 'contains', ignoreCase: false }],
  })
  expect((await runCli(['evals', 'import', file], url)).code).toBe(2)
})

test('GAT-02 evals run takes a pending change, and changes preview waits for an eval and exits with 9 unless it passes', async () => {
  const { url, requests } = await serve()
  await runCli(['evals', 'run', id, '--change', 'chg_1'], url)
  expect(JSON.parse(requests.find(({ method }) => method === 'POST')?.body ?? '')).toEqual({ change: 'chg_1' })
  const asked: unknown[] = []
  const answers = [
    { evalId: id, state: 'pending' },
    {
      ...{ evalId: id, state: 'failed', cases: 2, before: { passed: 2 }, after: { passed: 1 } },
      ...{ broken: { count: 1, ids: ['neap'] }, mended: { count: 0, ids: [] } },
    },
  ]
  const previews = await startScriptedServer(({ body }) => {
    asked.push(JSON.parse(body ?? ''))
    return { data: { questions: [], unanswered: 0, eval: answers[Math.min(asked.length, 2) - 1] } }
  })
  const args = ['changes', 'preview', 'chg_1', '--brain', 'harbor']
  expect(await runCli([...args, '--eval', id], previews.url)).toEqual({
    code: 9,
    stdout: `${id}  failed\n  2 of 2 passed before, 1 after\n  - neap\n`,
    stderr: '',
  })
  expect(asked).toEqual([{ eval: id }, { eval: id }])
  expect((await runCli(args, previews.url)).code).toBe(2)
})
