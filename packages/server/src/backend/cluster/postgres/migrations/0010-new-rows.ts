/**
 * What most events and most deliveries are: new. Each function writes many of them in one call, with plans that PostgreSQL keeps. It may
 * make the plans when the tables are nearly empty, so each look-up is a query of its own (LATERAL with a LIMIT) that may only use
 * an index. That of messages is the only one in the order that is asked for, and nothing may be sorted: the bounds of ids are there
 * to leave out partitions, and the index of ids would read all that is between them.
 *
 * `archive_new` archives events that are all new: takes the lock of the archive, looks each of them up, and writes them. Returns the
 * seq of the last one; NULL, with nothing written, where one of them is known, or a purge or a suppression names a user of them.
 * The caller sees to it that no two of them have the same source and messageId. Each statement of the function sees what was
 * committed when it begins, so the look-ups see all that was archived before the lock was free.
 *
 * `record_new` records deliveries that have ended, and returns the ids of those that it has written: the others are there already, or
 * their event is gone. The event is locked, as in the statement for all deliveries: a purge removes events before deliveries.
 */
export const newRows = `
  CREATE FUNCTION archive_new(
    ids text[], positions bigint[], source_ids text[], message_ids text[], types text[], user_ids text[],
    anonymous_ids text[], previous_ids text[], times bigint[], all_marks text[], origins text[], bodies bytea[], rests text[],
    named_ids text[], dedupe_window bigint, least_id text, end_id text,
    declined_events text[], declined_destinations text[], declined_reasons text[], declined_since bigint[]
  ) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  DECLARE
    last bigint;
    many int := cardinality(ids);
  BEGIN
    PERFORM pg_advisory_xact_lock(1751870574, 1);
    IF EXISTS (SELECT FROM unnest(named_ids) AS named (id) CROSS JOIN LATERAL (
        SELECT FROM purged_ids WHERE purged_ids.id = named.id LIMIT 1) AS purged)
      OR EXISTS (SELECT FROM unnest(named_ids) AS named (id) CROSS JOIN LATERAL (
        SELECT FROM suppressions WHERE suppressions.user_id = named.id LIMIT 1) AS suppressed)
      OR EXISTS (SELECT FROM unnest(ids) AS new (id) CROSS JOIN LATERAL (
        SELECT FROM events WHERE events.id = new.id LIMIT 1) AS archived)
      OR EXISTS (SELECT FROM unnest(ids) AS new (id) CROSS JOIN LATERAL (
        SELECT FROM counted_duplicates WHERE counted_duplicates.id = new.id LIMIT 1) AS counted)
      OR EXISTS (SELECT FROM unnest(source_ids, message_ids, times) AS new (source_id, message_id, at) CROSS JOIN LATERAL (
        SELECT FROM events WHERE left(events.message_id, 500) = left(new.message_id, 500)
          AND events.message_id = new.message_id AND events.source_id = new.source_id
          AND events.received_at >= new.at - dedupe_window AND events.id >= least_id AND events.id < end_id
        ORDER BY events.received_at, events.seq LIMIT 1) AS original)
    THEN RETURN NULL; END IF;

    UPDATE archive SET seq = seq + many RETURNING seq INTO last;
    INSERT INTO events (id, seq, log_position, source_id, message_id, type, user_id, anonymous_id, previous_id,
        received_at, marks, origin, body, rest)
      SELECT id, last - many + number, position, source_id, message_id, type, user_id, anonymous_id, previous_id, at, marks,
        origin, body, rest
      FROM unnest(ids, positions, source_ids, message_ids, types, user_ids, anonymous_ids, previous_ids, times, all_marks,
        origins, bodies, rests) WITH ORDINALITY AS new (id, position, source_id, message_id, type, user_id, anonymous_id,
        previous_id, at, marks, origin, body, rest, number);
    IF cardinality(declined_events) > 0 THEN
      INSERT INTO declined (event_id, destination_id, reason, since)
        SELECT * FROM unnest(declined_events, declined_destinations, declined_reasons, declined_since)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN last;
  END $$;

  CREATE FUNCTION record_new(
    ids text[], event_ids text[], destination_ids text[], states text[], all_rounds int[], due_times bigint[], all_webhooks text[]
  ) RETURNS SETOF text LANGUAGE plpgsql SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  BEGIN
    RETURN QUERY
      WITH fresh AS MATERIALIZED (
        SELECT given.* FROM unnest(ids, event_ids, destination_ids, states, all_rounds, due_times, all_webhooks)
          AS given (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
        CROSS JOIN LATERAL (
          SELECT FROM events WHERE events.id = given.event_id LIMIT 1 FOR KEY SHARE) AS event)
      INSERT INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks, is_waiting)
        SELECT fresh.*, false FROM fresh ON CONFLICT (id) DO NOTHING RETURNING deliveries.id::text;
  END $$;
`
