import { expect, test } from 'vitest'
import { awaitTopic, brainTopic, createTopics, organizationTopic, type Topic } from './topics.ts'

/** Topics over a channel that a test reads and speaks on. */
const openTopics = () => {
  const sent: Topic[][] = []
  let receive = (_topic: Topic) => {}
  const channel = {
    send: async (topics: readonly Topic[]) => void sent.push([...topics]),
    listen: (callback: typeof receive) => {
      receive = callback
    },
    close: async () => {},
  }
  return { topics: createTopics(channel), sent, receive: (topic: Topic) => receive(topic) }
}

test('a subscriber hears of its topic at once, of no other, and no more once it is gone', () => {
  const { topics } = openTopics()
  const heard: string[] = []
  const stop = topics.subscribe(brainTopic(7), (id) => heard.push(id))
  topics.publish(brainTopic(7))
  topics.publish(brainTopic(77))
  topics.publish(organizationTopic('7'))
  expect(heard).toEqual(['7'])
  stop()
  topics.publish(brainTopic(7))
  expect(heard).toEqual(['7'])
})

test('a subscriber of a kind hears of every topic of it, from this node and from others', () => {
  const { topics, receive } = openTopics()
  const heard: string[] = []
  topics.subscribe('organization:', (id) => heard.push(id))
  topics.publish(organizationTopic('a:b'))
  receive(organizationTopic('far'))
  receive(brainTopic(1))
  expect(heard).toEqual(['a:b', 'far'])
})

test('many publications are one message to other nodes, each topic once; topics from them are not sent on', async () => {
  const { topics, sent, receive } = openTopics()
  for (let round = 0; round < 3; round++) for (const brain of [1, 2]) topics.publish(brainTopic(brain))
  receive(brainTopic(3))
  await expect.poll(() => sent).toEqual([[brainTopic(1), brainTopic(2)]])
})

test('a message waits for the one under way, and has everything that was published meanwhile', async () => {
  const sent: Topic[][] = []
  const first = Promise.withResolvers<void>()
  const topics = createTopics({
    send: async (some) => {
      sent.push([...some])
      if (sent.length === 1) await first.promise
    },
    listen: () => undefined,
    close: async () => undefined,
  })
  topics.publish(brainTopic(1))
  await expect.poll(() => sent.length).toBe(1)
  topics.publish(brainTopic(2))
  topics.publish(brainTopic(3))
  const closed = topics.close()
  expect(sent).toHaveLength(1)
  first.resolve()
  await closed
  expect(sent).toEqual([[brainTopic(1)], [brainTopic(2), brainTopic(3)]])
})

test('closing still sends published topics', async () => {
  const { topics, sent } = openTopics()
  topics.publish(brainTopic(1))
  await topics.close()
  expect(sent).toEqual([[brainTopic(1)]])
})

test('a waiting caller continues at a publication, at the next poll, and at the end', async () => {
  const { topics } = openTopics()
  const { signal } = new AbortController()
  const published = awaitTopic(topics, brainTopic(1), { pollMilliseconds: 600_000, signal })
  topics.publish(brainTopic(1))
  await published.published
  published.stop()
  await awaitTopic(topics, brainTopic(1), { pollMilliseconds: 1, signal }).published
  const end = new AbortController()
  const ended = awaitTopic(topics, brainTopic(1), { pollMilliseconds: 600_000, signal: end.signal })
  end.abort()
  await ended.published
  ended.stop()
})
