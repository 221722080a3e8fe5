/** The scenarios, in the order of the page, and what happens in each. */
export const SCENARIO_NAMES = {
  single: 'every type of call, one per request',
  batch: 'every type of call, up to 20 in a request',
  gzip: 'every type of call, compressed',
  skew: 'every type of call, while the clock of the service is an hour ahead',
  'wrong-key': 'five calls with a write key that no source has',
  'large-call': 'a call with 33,000 bytes of text, among calls of less than 32 KiB',
  'large-batch': '100 calls of 9 KB, together more than the 544 KiB limit of a request',
  outage: 'five calls, while a proxy responds with 503',
  kill: 'calls for several seconds, while the service is killed and restarted',
} as const

export type ScenarioName = keyof typeof SCENARIO_NAMES
