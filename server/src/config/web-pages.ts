import { allowedHosts, callShares, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of web pages that become documents. */
export const webPageSettings = {
  NOEMA_WEB_ALLOW: {
    schema: allowedHosts,
    about:
      'Hosts, addresses or networks whose pages every organization may add as documents although they are private, also over plain HTTP, each with a port (443 if unset, `*` for all), separated by commas.',
    example: 'wiki.internal:8080',
  },
  NOEMA_MAX_WEB_FETCHES: {
    schema: callShares('32/4/2'),
    about:
      'Web pages that are fetched at once: on one node, for one organization, and from one host by its address. Others wait.',
    example: '32/4/2',
  },
  NOEMA_WEB_PAUSE_MS: {
    schema: wholeNumber(0, 600_000).default(1_000),
    about:
      'Milliseconds between two fetches from one host, counted by its address. With 0, nodes may fetch from one host at once.',
    example: '1000',
  },
  NOEMA_WEB_SECONDS: {
    schema: wholeNumber(1, 600).default(30),
    about: 'Seconds that the answer for a web page may take.',
    example: '30',
  },
  NOEMA_WEB_MEGABYTES: {
    schema: wholeNumber(1, 64).default(10),
    about: 'Megabytes of one web page. Nothing larger is read.',
    example: '10',
  },
  NOEMA_WEB_REFRESH_HOURS: {
    schema: wholeNumber(1, 8_760).default(1),
    about: 'Minimum number of hours between two scheduled refreshes of a web page.',
    example: '1',
  },
  NOEMA_MAX_WEB_SOURCES: {
    schema: wholeNumber(0, 10_000).default(50),
    about: 'Web sources of one Brain.',
    example: '50',
  },
  NOEMA_MAX_WEB_PAGES: {
    schema: wholeNumber(1, 10_000).default(500),
    about: 'Pages of one web source. The tiers limit the pages of an owner.',
    example: '500',
  },
} as const satisfies Settings

export const readWebPages = (values: ValuesOf<typeof webPageSettings>) => ({
  webPages: {
    allow: values.NOEMA_WEB_ALLOW,
    calls: values.NOEMA_MAX_WEB_FETCHES,
    pauseMilliseconds: values.NOEMA_WEB_PAUSE_MS,
    seconds: values.NOEMA_WEB_SECONDS,
    maxBytes: values.NOEMA_WEB_MEGABYTES * 1024 * 1024,
  },
})

export const readWebPageLimits = (values: ValuesOf<typeof webPageSettings>) => ({
  /** Web sources of a Brain, pages of one, and hours between two scheduled refreshes. */
  webPages: {
    sources: values.NOEMA_MAX_WEB_SOURCES,
    pages: values.NOEMA_MAX_WEB_PAGES,
    minHours: values.NOEMA_WEB_REFRESH_HOURS,
  },
})
