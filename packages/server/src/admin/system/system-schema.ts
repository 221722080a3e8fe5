import Type from 'typebox'
import { nullable, orNull, time } from '../api/schema-parts.ts'
import { responses } from '../problems/responses.ts'

const text = Type.String()
const ageMs = nullable(Type.Integer())
const forAdmins = 'null unless the role is admin.'

const Behind = Type.Object({
  events: Type.Integer({ description: 'At most; dropped duplicates count as well.' }),
  oldestAt: nullable(time),
  ageMs,
})

const SettingResponse = Type.Object({
  name: text,
  flag: text,
  variable: text,
  value: nullable(Type.String({ description: 'As a user writes it; null if hidden or not set.' })),
  isSet: Type.Boolean(),
  hidden: nullable(
    Type.Enum(['secret', 'admins_only'], {
      description: 'admins_only: it names a path, a host or a network.',
    }),
  ),
  default: nullable(text),
  origin: orNull(
    Type.Object({
      kind: Type.Enum(['flag', 'environment', 'file', 'default', 'unset']),
      name: Type.Optional(
        Type.String({ description: 'The flag, the variable, or the file, which admins see.' }),
      ),
      key: Type.Optional(text),
    }),
    'null: the program that runs the service has not told it.',
  ),
  help: text,
})

const NodeResponse = Type.Object({
  id: text,
  version: text,
  role: Type.Enum(['all', 'ingest', 'deliver', 'api'], {
    description: 'What it does: everything, or one part of it.',
  }),
  startedAt: time,
  lastSeenAt: time,
  isAlive: Type.Boolean({ description: 'Whether it was seen in the last ten seconds.' }),
  isThis: Type.Boolean({ description: 'Whether it is the one that responds.' }),
})

const SystemResponse = Type.Object({
  version: text,
  node: text,
  backend: text,
  dataDir: nullable(Type.String({ description: forAdmins })),
  time: Type.String({ format: 'date-time', description: 'What its clock shows.' }),
  startedAt: time,
  callsPort: nullable(
    Type.Integer({
      description: 'The port that takes calls, if adminPort gives it one of its own.',
    }),
  ),
  uptimeMs: Type.Integer(),
  status: Type.Enum(['ok', 'unavailable'], { description: 'As /readyz, at checkedAt.' }),
  checks: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      note: Type.Optional(text),
      reason: Type.Optional(text),
    }),
  ),
  checkedAt: time,
  nodes: Type.Array(NodeResponse, {
    description:
      'The processes that serve it together, and those that have died in the last ten minutes; at most 200. Version, checks, failingWorkers, live and settings are those of the one that responds.',
  }),
  failingWorkers: Type.Array(Type.Object({ name: text, reason: text })),
  damages: orNull(
    Type.Array(Type.Object({ foundAt: time, description: text })),
    `The last damages that starts have found; ${forAdmins}`,
  ),
  storage: Type.Object({
    usedBytes: Type.Integer({ description: 'Without the space that removed data has left.' }),
    databaseBytes: Type.Integer(),
    logBytes: Type.Integer({
      description: 'The write-ahead log; on a cluster, what waits in NATS.',
    }),
    freeBytes: nullable(Type.Integer({ description: 'Of the disk; null on a cluster.' })),
    events: Type.Integer(),
    isExact: Type.Boolean({ description: 'Whether events is counted, not estimated.' }),
    oldestEventAt: nullable(time),
    retentionMs: Type.Integer(),
    retentionMaxBytes: nullable(Type.Integer()),
  }),
  backlog: Type.Object({
    undecided: Type.Object(Behind.properties, { description: 'Events that wait for decisions.' }),
    notInProfiles: orNull(Behind, 'Events that profiles do not have; null while there are none.'),
    pending: Type.Integer({ description: 'Deliveries that wait for an attempt.' }),
    held: Type.Integer({ description: 'Deliveries that wait until a pause ends.' }),
    oldestPendingAt: nullable(time),
    oldestPendingAgeMs: ageMs,
    quarantined: Type.Integer(),
    openReplays: Type.Integer(),
    openDeletions: Type.Integer(),
  }),
  live: Type.Object(
    { open: Type.Integer(), most: Type.Integer() },
    { description: 'Connections of the live tail.' },
  ),
  lastBackupAt: nullable({
    ...time,
    description: 'When the last download of a backup was complete, since the start.',
  }),
  settings: Type.Array(SettingResponse),
})

/** Request and response of the system. */
export const systemSchema = {
  tags: ['About'],
  operationId: 'getSystem',
  summary: 'Shows the service itself: version, checks, storage, backlog, settings',
  description: 'The checks are at most 10 seconds old. All the rest is of the moment.',
  response: responses(200, 'The state of the service.', SystemResponse),
}
