import { useEffect } from "react";

type Pages = {
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
};

/**
 * Asks for the next page as long as there is too little, and tells that it does: one answer
 * looks through a bounded part of the past, and may have nothing although older parts do.
 */
export function useGoOn(
  { hasNextPage, isFetching, isError, fetchNextPage }: Pages,
  little: boolean,
): boolean {
  const goesOn = little && hasNextPage && !isError;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return goesOn;
}
