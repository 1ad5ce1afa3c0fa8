import type { Account } from './account.ts'
import { type Attack, pause, repeatedly } from './attack.ts'

// Attacks by objects that an account creates and triggers: webhooks, organizations, keys, Brains.

const maxBrains = 10
const webhooksOfBrain = 25

const makeWebhooks = async ({ send }: Account, url: string): Promise<string[]> => {
  const paths: string[] = []
  for (let n = 0; n < maxBrains - 1; n++) {
    await send('PUT', `/v1/brains/hooks-${n}`, {})
    for (let hook = 0; hook < webhooksOfBrain; hook++) {
      const { data } = await send('POST', `/v1/brains/hooks-${n}/webhooks`, { url })
      const { id } = (data.webhook ?? {}) as { id?: string }
      if (id !== undefined) paths.push(`/v1/brains/hooks-${n}/webhooks/${id}`)
    }
  }
  return paths
}

const webhooks: Attack = {
  name: 'webhooks',
  about: '1,500 webhook tests at once, and events for webhooks of Brains and of the organization that never answer',
  prepare: async (account, { hangingHook }) => {
    const paths = await makeWebhooks(account, hangingHook)
    for (let n = 0; n < webhooksOfBrain; n++)
      await account.send('POST', '/v1/webhooks', { url: hangingHook, events: ['knowledge.corrected'] })
    return paths
  },
  run: ({ send }, running, prepared) => {
    const paths = prepared as string[]
    const write = async (turn: number) => {
      const brain = `/v1/brains/hooks-${turn % (maxBrains - 1)}`
      const { data } = await send('POST', `${brain}/records`, { kind: 'k', fields: { turn } })
      const { id } = (data.change ?? {}) as { id?: string }
      if (turn < 16) await send('POST', `${brain}/changes/${id}/revert`, {})
      await pause(50, running)
    }
    return Promise.all([
      repeatedly(2, running, write),
      repeatedly(1_500, running, async (turn) => {
        const { status } = await send('POST', `${paths[turn % paths.length]}/test`, {})
        if (status !== 200) await pause(1_000, running)
      }),
    ])
  },
}

const making: Attack = {
  name: 'making',
  about: 'organizations, keys and Brains made in eight loops',
  run: ({ send, session }, running) =>
    repeatedly(8, running, (turn) => {
      const name = `made-${turn}`
      if (turn % 3 === 0)
        return send('POST', '/api/auth/organization/create', { name, slug: `${name}-${Date.now()}` }, session)
      if (turn % 3 === 1) return send('POST', '/v1/keys', { name }, session)
      return send('PUT', `/v1/brains/${name}`, {})
    }),
}

export const makerAttacks: readonly Attack[] = [webhooks, making]
