export {
  ATTEMPT_CLASSES,
  type AttemptClass,
  type AttemptClassInfo,
  statusError,
} from './deliveries/attempt-classes.ts'
export {
  INGEST_CODES,
  type IngestCode,
  type IngestCodeName,
  ingestError,
  type IngestError,
} from './codes.ts'
export {
  type Audience,
  type Computation,
  type ComputedTrait,
  DEFAULT_SPACE,
} from './computations/computation.ts'
export { keyOfName } from './computations/computation-key.ts'
export { COMPUTE_TABLE, type ComputeFunctionInfo } from './computations/compute-functions.ts'
export {
  type AudienceClause,
  type Clause,
  type Comparison,
  type Compute,
  COMPUTE_FUNCTIONS,
  type ComputedTraitClause,
  type ComputeFunction,
  type Condition,
  COUNT_OPERATORS,
  type CountOperator,
  type Duration,
  DURATION_UNITS,
  type EventClause,
  type EventSelection,
  type Operator,
  OPERATORS,
  type PropertyFilter,
  type TraitClause,
  type Window,
} from './computations/condition.ts'
export {
  type Fields,
  type Filter,
  type FilterClause,
  FILTER_FIELDS,
  type Format,
  FORMATS,
  NORMALIZATIONS,
  type Sample,
  SAMPLE_FIELDS,
  type ValueComparison,
} from './filter.ts'
export {
  CLASSES_WITHOUT_ATTEMPT,
  DELIVERY_CLASSES,
  type DeliveryClass,
  remedyOf,
} from './deliveries/delivery-classes.ts'
export {
  type Attempt,
  ATTEMPT_OUTCOMES,
  type AttemptTiming,
  DECLINE_REASONS,
  type DeclineReason,
  type DeclineReasonInfo,
  type Delivery,
  DELIVERY_STATES,
  type DeliveryState,
  PART_STATES,
  type PartState,
  type NextRequest,
  type ShownRequest,
  type TestDelivery,
  type TestedWebhook,
  type DeliveryPart,
} from './deliveries/delivery.ts'
export {
  type ClientCertificate,
  type ClientCredentials,
  type Destination,
  type LaneState,
  type Pause,
  PAUSE_REASONS,
  type PreviousSecret,
  type SignatureKind,
  SIGNATURES,
  type SigningKey,
  SUCCESS_POLICIES,
  type SuccessPolicy,
  URL_FIELDS,
  type Webhook,
  type WebhookAuth,
  type WebhookLimits,
  WEBHOOK_METHODS,
  type WebhookMethod,
  type WebhooksSettings,
  type WebhookState,
} from './destination.ts'
export { activeKeys, publishedKeys, type Signers, signersOf } from './signatures/signers.ts'
export { HEADER_NAME, RESERVED_HEADERS, reservedBy } from './deliveries/request-headers.ts'
export {
  EVENT_OUTCOMES,
  type EventOutcome,
  type EventOutcomes,
} from './deliveries/event-outcome.ts'
export {
  type AcceptedEvent,
  type DeletionNotice,
  type DeliveryContent,
  type Event,
  type EventType,
  EVENT_TYPES,
  EVENT_WARNINGS,
  type EventWarning,
  type Origin,
} from './event.ts'
export { isExactNumber, isRounded, MAY_BE_INEXACT } from './exact-number.ts'
export { idFrom, type IdPrefix, isId, newId, timeOfId } from './id.ts'
export { idErrorCode } from './id-error-code.ts'
export { callsWithInexactIds, hasNumericId } from './inexact-ids.ts'
export { INSPECTOR_HOST, INSPECTOR_LIMITS, INSPECTOR_URL } from './inspector.ts'
export {
  containsNumber,
  equalJson,
  isUnsafeInteger,
  isDeeperThan,
  isJsonObject,
  jsonObjectIn,
  type Json,
  type JsonObject,
} from './json.ts'
export { CALL_LIMITS, LIMITS } from './limits.ts'
export {
  effectiveLimits,
  type EffectiveLimit,
  type EffectiveLimits,
  LIMIT_SETTINGS,
  type LimitName,
} from './effective-limits.ts'
export { limitsText, type PresentedLimits } from './limits-text.ts'
export {
  comparisonHolds,
  nextChangeOf,
  OPERATOR_TABLE,
  type OperatorInfo,
  VALUE_KINDS,
  type ValueKind,
} from './computations/operators.ts'
export { withoutNonFinite } from './non-finite.ts'
export { pathOf, valueAt } from './path.ts'
export {
  fieldsOutsidePayload,
  deletionPayload,
  eventIn,
  TRACE_FIELD,
  webhookPayload,
} from './payload.ts'
export { CALL_EXAMPLES } from './reference/call-examples.ts'
export {
  CALL_FIELDS,
  type CallField,
  type CallFieldName,
  OTHER_CALL_FIELDS,
} from './reference/call-fields.ts'
export {
  namesUser,
  PAYLOAD_FIELDS,
  PAYLOAD_TYPES,
  type PayloadField,
  type PayloadType,
} from './reference/payload-fields.ts'
export { WEBHOOK_PAYLOAD_SCHEMA } from './reference/payload-schema.ts'
export { isMailUrl, mailAddressesIn, mailPortOf } from './mail-url.ts'
export { portRefusal, RESERVED_PORTS } from './reserved-ports.ts'
export { parseRetryAfter } from './retry-after.ts'
export { revive } from './revive.ts'
export {
  callsWithRoundedNumbers,
  mayRoundToZero,
  type RoundedNumbers,
  roundedNumbers,
} from './rounded-numbers.ts'
export { type SseMessage, SseParser } from './sse-parser.ts'
export { BUILT_IN_SOURCE_ID, type Source, type WriteKey } from './source.ts'
export { formatTimeSpan, parseTimeSpan, TIME_UNITS } from './time-span.ts'
export {
  READY_MADE_TRANSFORMS,
  type ReadyMadeTransform,
  type ReadyMadeTransformName,
} from './transforms.ts'
export { formatTimestamp, isFormattedTimestamp, parseTimestamp } from './timestamp.ts'
