import { randomBytes } from 'node:crypto'
import type { Feed, FeedFollower, Following, Signals } from '../signals.ts'

/** A feed in process. Its followers keep what they want, so it keeps nothing. */
class FeedOfOne implements Feed {
  readonly #run = randomBytes(4).toString('hex')
  readonly #followers = new Set<FeedFollower>()
  #position = 0
  isFollowed = false

  publish(value: object): void {
    this.#position += 1
    for (const follower of this.#followers) follower.add(value, this.#position)
  }

  follow(follower: FeedFollower): Following {
    // One position is left out: what was published while nobody followed is missing.
    if (this.#followers.size === 0 && this.#position > 0) this.#position += 1
    follower.begin(this.#run, this.#position)
    this.#followers.add(follower)
    this.isFollowed = true
    return {
      caughtUp: Promise.resolve(),
      [Symbol.dispose]: () => {
        this.#followers.delete(follower)
        this.isFollowed = this.#followers.size > 0
      },
    }
  }

  async forget(): Promise<void> {
    // Followers remove what they have.
  }
}

const NOTHING = (): void => undefined

/** One process is the whole service: there is nobody to tell or to ask. */
export class SignalsOfOne implements Signals {
  readonly activity = new FeedOfOne()

  tell(): void {
    // Nobody hears it.
  }

  onTold(): () => void {
    return NOTHING
  }

  onMissed(): () => void {
    return NOTHING
  }

  async ask(): Promise<readonly unknown[]> {
    return []
  }

  onAsked(): () => void {
    return NOTHING
  }

  read(): Disposable {
    return { [Symbol.dispose]: NOTHING }
  }

  onRead(): () => void {
    return NOTHING
  }
}
