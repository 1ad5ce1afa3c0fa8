export const metricsToken = 'a-token-of-the-metrics'

type Node = { base: string }

/** The value of a line of a node's metrics, 0 if it is absent. The node has `metricsToken`. */
const readMetric = async ({ base }: Node, line: string): Promise<number> => {
  const answer = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const found = (await answer.text()).split('\n').find((one) => one.startsWith(`${line} `))
  return Number(found?.split(' ')[1] ?? 0)
}

/** Counts the requests that a node has sent to others and that were answered. */
export const countForwarded = (node: Node) => readMetric(node, 'noema_forwarded_requests_total{outcome="answered"}')

/** Counts the other nodes to which a node sends writes. */
export const countReached = (node: Node) => readMetric(node, 'noema_other_nodes{state="reached"}')
