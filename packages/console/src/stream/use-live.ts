import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { LiveMessage, Topic } from './live-messages.ts'
import { LiveStream, type StreamState } from './live-stream.ts'

const stream = new LiveStream()

/** Subscribes to a topic while the component is mounted. */
export function useLive(
  topic: Topic,
  onMessages: (messages: readonly LiveMessage[]) => void,
  isOn = true,
): void {
  const pass = useEffectEvent(onMessages)
  useEffect(() => {
    if (!isOn) return
    return stream.listen(topic, (messages) => pass(messages))
  }, [topic, isOn])
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(stream.watch, () => stream.state)
}
