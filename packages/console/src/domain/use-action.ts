import { useMutation, useQueryClient } from '@tanstack/react-query'
import { problemOf } from '../api/problem.ts'
import { toast } from '../design/windows/toasts.tsx'

interface Action {
  readonly isBusy: boolean
  readonly run: () => void
}

/** What a click does: calls the service, says how it went, and fetches again what it has changed. */
export function useAction(
  work: () => Promise<unknown>,
  said: string,
  changed: readonly string[],
): Action {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: work,
    onSuccess: () => {
      toast(said)
      return Promise.all(
        changed.map((resource) => client.invalidateQueries({ queryKey: [resource] })),
      )
    },
    onError: (error) => toast(problemOf(error).message, 'failed'),
  })
  return { isBusy: isPending, run: () => mutate() }
}
