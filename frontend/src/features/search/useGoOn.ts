import { useEffect } from "react";

type Pages = {
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
};

/**
 * Asks for the next page as long as nothing was found, and tells that it does: one answer
 * looks through a bounded part of what was said, and may have no hit although older ones do.
 */
export function useGoOn({ hasNextPage, isFetching, isError, fetchNextPage }: Pages, empty: boolean): boolean {
  const goesOn = empty && hasNextPage && !isError;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return goesOn;
}
