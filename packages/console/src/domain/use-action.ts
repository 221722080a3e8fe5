import { useMutation, useQueryClient } from '@tanstack/react-query'
import { problemOf } from '../api/problem.ts'
import { toast } from '../design/dialogs/toasts.tsx'

interface Action {
  readonly isBusy: boolean
  readonly run: () => void
}

/** Runs `work`, shows `message`, and refetches the changed resources. */
export function useAction(
  work: () => Promise<unknown>,
  message: string,
  changed: readonly string[],
): Action {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: work,
    onSuccess: () => {
      toast(message)
      return Promise.all(
        changed.map((resource) => client.invalidateQueries({ queryKey: [resource] })),
      )
    },
    onError: (error) => toast(problemOf(error).message, 'failed'),
  })
  return { isBusy: isPending, run: () => mutate() }
}
