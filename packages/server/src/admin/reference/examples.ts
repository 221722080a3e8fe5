const SOURCE_ID = 'src_01m81grcbgedzt0s6b232e4pp8'
const DESTINATION_ID = 'dst_01m81grcbgedzt0s6b232e4pp8'

const destinationIds = [DESTINATION_ID]
const condition = {
  and: [
    { trait: 'plan', op: 'equals', value: 'team' },
    { event: 'Order Completed', count: { op: '>=', n: 3 }, within: { days: 30 } },
  ],
}
const compute = {
  fn: 'sum',
  event: 'Order Completed',
  property: 'revenue',
  within: { days: 30 },
}

/** An example body for each operation whose body has fields. */
export const EXAMPLE_BODIES: Readonly<Record<string, object>> = {
  createSource: { name: 'My shop' },
  changeSource: { name: 'My shop (EU)', rateLimit: 500 },
  createDestination: {
    sourceId: SOURCE_ID,
    type: 'Webhooks',
    name: 'CRM',
    enabled: true,
    settings: {
      sharedSecret: 'correct horse battery staple',
      signature: 'both',
      webhooks: [
        {
          url: 'https://crm.example.com/hook',
          headers: { 'X-Team': 'growth' },
          limits: { perSecond: 20, retryWindow: '3d' },
        },
      ],
    },
  },
  changeDestination: { enabled: false },
  previewFilter: { filter: { event: 'Order *' }, last: 100 },
  testDestination: { type: 'track', dryRun: true },
  rotateSecret: { secret: 'a new secret, as long as the old one', overlapHours: 24 },
  rotateSigningKey: { leadHours: 24, overlapHours: 24 },
  createReplay: {
    destinationId: DESTINATION_ID,
    from: '2026-11-21T00:00:00.000Z',
    to: '2026-11-22T00:00:00.000Z',
    dryRun: true,
  },
  createDeletion: { userIds: ['u1'], suppress: true },
  createToken: { name: 'ci', role: 'viewer' },
  createAudience: { name: 'Loyal teams', destinationIds, condition },
  changeAudience: { name: 'Loyal teams (3 orders)' },
  previewAudience: { condition },
  changeMembers: { add: ['u1', 'u2'], remove: ['u3'] },
  createTrait: { name: 'Revenue 30d', destinationIds, compute },
  changeTrait: { name: 'Revenue, last 30 days' },
  previewTrait: { compute },
  addAlertChannel: {
    url: 'https://hooks.slack.com/services/T000/B000/XXXX',
    format: 'slack',
  },
  importConfiguration: {
    hookline: 1,
    sources: [{ id: SOURCE_ID, name: 'My shop', enabled: true, rateLimit: null }],
    destinations: [],
  },
}
