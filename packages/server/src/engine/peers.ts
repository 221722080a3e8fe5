import type { FollowedCatalog } from '../backend/catalog.ts'
import { delivers, type Nodes } from '../backend/nodes.ts'
import type { Signals } from '../backend/signals.ts'
import type { LaneId } from '../backend/deliveries.ts'
import type {
  BreakerChange,
  PauseChange,
  WebhookHealth,
} from '../delivery/health/webhook-health.ts'
import { type LaneDivision, UNDIVIDED } from '../delivery/lanes/lane-scheduler.ts'

/** The other nodes, as lanes see them. */
export interface Peers {
  readonly nodes: Pick<Nodes, 'id' | 'current' | 'onChange'>
  readonly signals: Pick<Signals, 'ask' | 'onAsked' | 'tell' | 'onTold'>
}

export interface PeeredLanesOptions extends Peers {
  readonly catalog: Pick<FollowedCatalog, 'current'>
  readonly health: WebhookHealth
  /** The nodes that deliver are others now. */
  readonly onDivision: (division: LaneDivision) => void
  /** Another node has found out that a webhook works again. */
  readonly onRecovery: (webhook: LaneId) => void
}

/**
 * Makes the lanes of this node and those of others act as one: they divide the limits of each webhook, and a node that finds
 * out that a webhook is down, works again, or asks for a pause, tells the others. A node that starts asks for all of this.
 *
 * Returns the function that ends it.
 */
export function connectPeers(options: PeeredLanesOptions): () => void {
  const { nodes, signals, health } = options
  const divide = (): void => options.onDivision(divisionOf(nodes))
  const hear = (told: unknown): void => onBreaker(options, told as BreakerChange)
  const hearPause = (told: unknown): void => onPause(options, told as PauseChange)
  const stops = [
    nodes.onChange(divide),
    signals.onTold('breakers', hear),
    signals.onAsked('breakers', async () => health.open()),
    signals.onTold('pauses', hearPause),
    signals.onAsked('pauses', async () => health.pauses()),
  ]
  divide()
  health.onChange = (change) => signals.tell('breakers', change)
  health.onPause = (change) => signals.tell('pauses', change)
  void signals.ask('breakers', {}).then((answers) => answers.flat().forEach(hear))
  void signals.ask('pauses', {}).then((answers) => answers.flat().forEach(hearPause))
  return () => {
    for (const stop of stops) stop()
  }
}

/** The place of this node among those that deliver. A node that has not joined delivers as the only one. */
export function divisionOf({ id, current }: Pick<Nodes, 'id' | 'current'>): LaneDivision {
  const ids = current.filter((node) => node.isAlive && delivers(node)).map((node) => node.id)
  const place = ids.toSorted().indexOf(id)
  return place === -1 ? UNDIVIDED : { nodes: ids.length, place }
}

function onBreaker({ catalog, health, onRecovery }: PeeredLanesOptions, told: BreakerChange): void {
  const { destinationId, url } = told
  if (has(catalog, told) && health.told(told)) onRecovery({ destinationId, url })
}

function onPause({ catalog, health }: PeeredLanesOptions, told: PauseChange): void {
  if (has(catalog, told)) health.toldPause(told)
}

function has({ current }: PeeredLanesOptions['catalog'], { destinationId, url }: LaneId): boolean {
  const destination = current.destinations.get(destinationId)
  return destination?.settings.webhooks.some((webhook) => webhook.url === url) === true
}
