import type { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { consumerId } from './records.ts'
import { once, timed } from './retrieval.ts'

/** The number of corpora that a choice offers. */
const maxCorpora = 100

/** The corpora of the organization, by name. */
export const corporaQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'corpora'],
    queryFn: ({ signal }) => client.corpora.list({ limit: maxCorpora }, { signal }),
    staleTime: 30_000,
  })

/** The key of all reads of a corpus. */
export const corpusKey = ({ organization }: Session, corpus: string) => [organization.id, 'corpora', corpus]

/** The results of a search in a corpus. */
export const corpusSearchQuery = (session: Session, corpus: string, body: BodyInput<typeof searchCorpus>) =>
  queryOptions({
    queryKey: [...corpusKey(session, corpus), 'search', body],
    queryFn: ({ signal }) => timed(session.client.corpora.search(corpus, { ...body, consumerId }, { signal })),
    ...once,
  })

/** The context that a model gets from a corpus. */
export const corpusContextQuery = (session: Session, corpus: string, body: BodyInput<typeof readCorpusContext>) =>
  queryOptions({
    queryKey: [...corpusKey(session, corpus), 'context', body],
    queryFn: ({ signal }) => timed(session.client.corpora.context(corpus, { ...body, consumerId }, { signal })),
    ...once,
  })
