import type { StoredTable } from '../../stopped-data.ts'

/** How the rows of a table are read: in the order of `key`, which is unique. */
export interface TableRead {
  readonly key: readonly string[]
  /** Every column that is read: those of the key included. */
  readonly columns: readonly string[]
  /** Another source of rows than the table of this name. */
  readonly from?: string
}

/** How each table is read that is moved elsewhere. */
export const TABLE_READS: Readonly<Record<StoredTable, TableRead>> = {
  catalog: {
    key: ['kind', 'id'],
    columns: ['kind', 'id', 'version', 'number', 'source_id', 'document', 'settings'],
  },
  key_uses: { key: ['key'], columns: ['key', 'last_used_at', 'number'] },
  tokens: { key: ['id'], columns: ['id', 'last_used_at', 'document'] },
  audit: {
    key: ['seq'],
    columns: ['seq', 'id', 'at', 'actor_id', 'action', 'target_id', 'sealed'],
  },
  idempotent_responses: { key: ['key'], columns: ['key', 'fingerprint', 'sealed', 'expires_at'] },
  statistics: {
    key: ['span', 'start', 'source_id', 'destination_id'],
    columns: ['span', 'start', 'source_id', 'destination_id', 'counts'],
  },
  declined: {
    key: ['event_id', 'destination_id'],
    columns: ['event_id', 'destination_id', 'reason', 'since'],
  },
  lanes: { key: ['number'], columns: ['number', 'queue', 'destination_id', 'url'] },
  deliveries: {
    key: ['id'],
    columns: [
      'id',
      'event_id',
      'destination_id',
      'state',
      'rounds',
      'first_due_at',
      'due_at',
      'webhooks',
      'replay_id',
      'is_waiting',
    ],
  },
  notices: {
    key: ['id'],
    columns: [
      'id',
      'deletion_id',
      'source_id',
      'destination_id',
      'kind',
      'user_id',
      'created_at',
      'state',
      'rounds',
      'first_due_at',
      'due_at',
      'ended_at',
      'attempts',
      'webhooks',
      'is_waiting',
    ],
  },
  attempts: {
    key: ['delivery_id', 'id'],
    columns: ['delivery_id', 'id', 'has_body', 'document'],
  },
  waiting_parts: {
    key: ['delivery_id', 'lane'],
    columns: ['queue', 'lane', 'delivery_id', 'due_at'],
  },
  quarantine: { key: ['id'], columns: ['id', 'reason', 'at', 'content'] },
  replays: {
    key: ['id'],
    columns: [
      'id',
      'state',
      'created_at',
      'finished_at',
      'scanned',
      'requeued',
      'reached_at',
      'cursor',
      'document',
      'search_text',
    ],
  },
  replay_ends: {
    key: ['replay_id', 'slot'],
    columns: ['replay_id', 'slot', 'delivered', 'failed'],
  },
  deletions: {
    key: ['id'],
    columns: [
      'id',
      'step',
      'started_at',
      'suppressed_at',
      'purged_at',
      'notified_at',
      'purge_through',
      'purged_events',
      'purged_anonymous_events',
      'purged_deliveries',
      'document',
    ],
  },
  deletion_ids: {
    key: ['deletion_id', 'kind', 'id'],
    columns: ['deletion_id', 'kind', 'id'],
  },
  suppressions: {
    key: ['seq'],
    columns: [
      'seq',
      'kind',
      'user_id',
      'source_id',
      'since',
      'deletion_id',
      'calls_left_out',
      'last_left_out_at',
    ],
  },
  cursors: { key: ['name'], columns: ['name', 'through'] },
  spaces: { key: ['name'], columns: ['name', 'profiles'] },
  identities: {
    key: ['id'],
    columns: [
      'id',
      'space',
      'kind',
      'name',
      'profile',
      'is_seen',
      'first_seen_at',
      'last_seen_at',
      'counts',
      'placeholders',
      'version',
      'dirty_since',
      'recheck_at',
    ],
  },
  identity_traits: { key: ['identity'], columns: ['identity', 'traits'] },
  claims: {
    key: ['anonymous', 'claimer'],
    columns: [
      'anonymous',
      'claimer',
      'at',
      'received_at',
      'message_id',
      'event_id',
      'source_id',
      'is_first',
    ],
  },
  aliases: {
    key: ['identity', 'partner'],
    columns: [
      'identity',
      'partner',
      'at',
      'received_at',
      'message_id',
      'event_id',
      'source_id',
      'is_linked',
    ],
  },
  fact_clauses: {
    key: ['number'],
    columns: [
      'number',
      'definition',
      'keep_ms',
      'keep_most',
      'fill_through',
      'filled_through',
      'reaches_back_to',
    ],
  },
  facts: {
    key: ['identity', 'clause', 'at', 'position'],
    columns: ['identity', 'clause', 'at', 'position', 'value'],
  },
  computations: { key: ['number'], columns: ['number', 'id'] },
  results: {
    key: ['profile', 'computation'],
    columns: ['profile', 'computation', 'value', 'since'],
  },
  announced: {
    key: ['user_id', 'computation'],
    columns: ['user_id', 'computation', 'value', 'number', 'at'],
  },
  listed_users: { key: ['computation', 'user_id'], columns: ['computation', 'user_id'] },
  computation_changes: {
    key: ['computation', 'start'],
    columns: ['computation', 'start', 'entered', 'went'],
  },
  syncs: { key: ['id'], columns: ['id', 'computation', 'is_open', 'document'] },
}

/** The columns of `events` that are moved. */
export const MOVED_EVENT_COLUMNS = [
  'seq',
  'id',
  'source_id',
  'message_id',
  'type',
  'received_at',
  'marks',
  'duplicates',
  'body',
  'user_id',
  'previous_id',
  'last_duplicate_at',
  'origin',
  'rest',
] as const

/** What stays in the file: whole tables, and columns of tables that are moved. The documentation has it as a table. */
export const LEFT_IN_FILE: readonly {
  readonly table: string
  /** All of them, where there are none. */
  readonly columns?: readonly string[]
  readonly reason: string
}[] = [
  { table: 'reserved_keys', reason: 'the requests have ended with the process' },
  {
    table: 'log_position',
    columns: ['only_row', 'commits', 'hash_seed'],
    reason: 'they are about the file: its commits and its filters',
  },
  {
    table: 'events',
    columns: ['checksum'],
    reason: 'the cluster computes its own; an event whose checksum is wrong stays in the file',
  },
  { table: 'encryption_keys', reason: 'the cluster keeps its own' },
  { table: 'profiles_state', columns: ['only_row'], reason: 'it only says that there is one row' },
  { table: 'profiles_state', columns: ['max_links'], reason: 'each start of a node sets it' },
  { table: 'trait_indexes', reason: 'the next search for a trait makes its index' },
  { table: 'trait_values', reason: 'the next search for a trait makes its index' },
  { table: 'message_id_filters', reason: 'PostgreSQL finds duplicates by an index' },
  { table: 'waiting', reason: 'the cluster counts from what is moved' },
  { table: 'waiting_lanes', reason: 'the cluster counts from what is moved' },
  { table: 'computations', columns: ['size'], reason: 'the cluster counts from what is moved' },
  { table: 'ended_suppressions', reason: 'no node of the cluster has them in memory' },
  { table: 'purged_ids', reason: 'a purge that has begun begins again' },
  { table: 'missing_rows', reason: 'it counts rows that were lost from the file' },
  { table: 'damages', reason: 'it lists damages of the file' },
]
