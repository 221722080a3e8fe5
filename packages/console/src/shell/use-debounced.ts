import { useEffect, useState } from 'react'

const DEBOUNCE_MS = 400

/** The value shortly after its last change; an empty one immediately. */
export function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  if (value === '' && settled !== '') setSettled('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
