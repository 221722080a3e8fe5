/** The cluster has data of its own, or that of another service. */
export class ClusterNotEmpty extends Error {
  override readonly name = 'ClusterNotEmpty'
}

/** Nodes of the cluster run while data is to be moved into it. */
export class ClusterInUse extends Error {
  override readonly name = 'ClusterInUse'
}

/** Data is being moved into the cluster, or the move was cut off. */
export class MoveUnfinished extends Error {
  override readonly name = 'MoveUnfinished'
}

/** What has arrived differs from what was sent. */
export class MoveDiffers extends Error {
  override readonly name = 'MoveDiffers'
}

/** An event that waits for the pipeline is larger than a message of NATS. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge'
}
