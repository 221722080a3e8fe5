import { randomBytes } from 'node:crypto'

/** A name that no consumer had before: `partition_<partition>_<through>_<random>`. */
export function newConsumerName(partition: number, through: number): string {
  return `partition_${partition}_${through}_${randomBytes(6).toString('hex')}`
}

/** A former consumer may have handed out what is in the stream up to this sequence. */
export function throughOf(consumer: string): number {
  return Number(consumer.split('_')[2] ?? 0)
}
