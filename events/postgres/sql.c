/* The numbered statements. */
#include "events/postgres/server.h"

#define COLUMNS                                                                                    \
        "seq, type, v, time, mission_id, run_id, step_id, session_id, actor, payload, prev, hash"
/* Leases are by the server's clock. */
#define NOW_MS "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"

#define FOUND                                                                                      \
        " AND (type = ?3 OR ?3 IS NULL) AND (run_id = ?4 OR ?4 IS NULL)"                           \
        " AND (step_id = ?5 OR ?5 IS NULL)"

const char *const pawl__postgres_sql[PAWL__STMTS] = {
        [PAWL__STMT_HEAD] =
                "SELECT head_seq, head_hash FROM pawl.logs WHERE {log AND} head_seq > 0",
        [PAWL__STMT_FIRST] =
                "SELECT seq FROM pawl.events WHERE {log AND} true ORDER BY seq LIMIT 1",
        [PAWL__STMT_RANGE] = "SELECT " COLUMNS " FROM pawl.events "
                             "WHERE {log AND} seq > ?1 AND seq <= ?2 ORDER BY seq",
        [PAWL__STMT_ENDS] =
                "SELECT * FROM (SELECT " COLUMNS " FROM pawl.events WHERE {log AND} seq = ?1 "
                "UNION ALL (SELECT " COLUMNS " FROM pawl.events WHERE {log AND} true "
                "ORDER BY seq DESC LIMIT 2)) AS ends ORDER BY seq",
        [PAWL__STMT_TYPES] =
                "SELECT DISTINCT type, run_id IS NOT DISTINCT FROM ?3 FROM pawl.events "
                "WHERE {log AND} seq > ?1 AND seq <= ?2",
        [PAWL__STMT_FIND] = "SELECT " COLUMNS " FROM pawl.events "
                            "WHERE {log AND} seq > ?1 AND seq < ?2" FOUND " ORDER BY seq LIMIT ?6",
        [PAWL__STMT_FIND_BACK] =
                "SELECT " COLUMNS " FROM pawl.events "
                "WHERE {log AND} seq > ?1 AND seq < ?2" FOUND " ORDER BY seq DESC LIMIT ?6",
        [PAWL__STMT_INSERT] = "INSERT INTO pawl.events ({log_id,} " COLUMNS ") "
                              "VALUES ({log,} ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
        [PAWL__STMT_BLOB_PUT] = "INSERT INTO pawl.blobs ({log_id,} hash, content) "
                                "VALUES ({log,} ?1, ?2) ON CONFLICT DO NOTHING",
        [PAWL__STMT_BLOB_GET] = "SELECT content FROM pawl.blobs WHERE {log AND} hash = ?1",
        [PAWL__STMT_CONTENT_PUT] = "INSERT INTO pawl.contents ({log_id,} hash, part, size, data) "
                                   "VALUES ({log,} ?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        [PAWL__STMT_CONTENT_GET] =
                "SELECT size, data FROM pawl.contents WHERE {log AND} hash = ?1 AND part = ?2",
        [PAWL__STMT_CONTENT_HAS] =
                "SELECT 1 FROM pawl.contents WHERE {log AND} hash = ?1 AND part = 0",
        [PAWL__STMT_CONTENT_DROP] = "DELETE FROM pawl.contents WHERE {log AND} hash = ?1",
        [PAWL__STMT_CONTENT_EACH] =
                "SELECT hash, max(size), CAST(sum(octet_length(data)) AS bigint), count(*) "
                "FROM pawl.contents WHERE {log AND} true GROUP BY hash ORDER BY hash",
        [PAWL__STMT_PACK_LAST] =
                "SELECT coalesce(max(pack), 0) FROM pawl.packs WHERE {log AND} true",
        [PAWL__STMT_PACK_PUT] =
                "INSERT INTO pawl.packs ({log_id,} pack, heads, data) VALUES ({log,} ?1, ?2, ?3) "
                "ON CONFLICT (log_id, pack) DO UPDATE SET heads = excluded.heads, "
                "data = excluded.data",
        [PAWL__STMT_PACK_GET] = "SELECT heads, data FROM pawl.packs WHERE {log AND} pack = ?1",
        [PAWL__STMT_PACK_HEADS] = "SELECT heads FROM pawl.packs WHERE {log AND} pack = ?1",
        [PAWL__STMT_PACK_DROP] = "DELETE FROM pawl.packs WHERE {log AND} pack = ?1",
        [PAWL__STMT_PACKED_PUT] =
                "INSERT INTO pawl.packed ({log_id,} hash, pack, at) VALUES ({log,} ?1, ?2, ?3) "
                "ON CONFLICT (log_id, hash) DO UPDATE SET pack = excluded.pack, at = excluded.at",
        [PAWL__STMT_PACKED_GET] = "SELECT pack, at FROM pawl.packed WHERE {log AND} hash = ?1",
        [PAWL__STMT_PACKED_FIND] = "SELECT pack, at, hash FROM pawl.packed "
                                   "WHERE {log AND} hash >= ?1 AND hash <= ?2 LIMIT 1",
        [PAWL__STMT_PARTS_FIND] = "SELECT hash FROM pawl.contents "
                                  "WHERE {log AND} hash >= ?1 AND hash <= ?2 AND part = 0 LIMIT 1",
        [PAWL__STMT_PACKED_DROP] = "DELETE FROM pawl.packed WHERE {log AND} hash = ?1",
        [PAWL__STMT_PACKED_EACH] =
                "SELECT hash, pack, at FROM pawl.packed WHERE {log AND} true ORDER BY pack, at",
        [PAWL__STMT_PRUNED] = "SELECT payload_hash FROM pawl.pruned WHERE {log AND} seq = ?1",
        [PAWL__STMT_PRUNED_PUT] =
                "INSERT INTO pawl.pruned ({log_id,} seq, payload_hash) VALUES ({log,} ?1, ?2) "
                "ON CONFLICT (log_id, seq) DO UPDATE SET payload_hash = excluded.payload_hash",
        [PAWL__STMT_PAYLOAD_DROP] =
                "UPDATE pawl.events SET payload = NULL WHERE {log AND} seq = ?1",
        [PAWL__STMT_LEASE_GET] =
                "SELECT fence, held, host, boot_id, pid, pid_start, pid_ns, until_ms, lease_ms, "
                "until_ms - " NOW_MS " "
                "FROM pawl.leases WHERE {log AND} run_id = ?1",
        [PAWL__STMT_LEASE_PUT] =
                "INSERT INTO pawl.leases ({log_id,} run_id, fence, held, host, boot_id, pid, "
                "pid_start, pid_ns, until_ms, lease_ms) "
                "VALUES ({log,} ?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, " NOW_MS " + ?9, ?9) "
                "ON CONFLICT (log_id, run_id) DO UPDATE SET fence = excluded.fence, held = 1, "
                "host = excluded.host, boot_id = excluded.boot_id, pid = excluded.pid, "
                "pid_start = excluded.pid_start, pid_ns = excluded.pid_ns, "
                "until_ms = excluded.until_ms, lease_ms = excluded.lease_ms",
        [PAWL__STMT_LEASE_RENEW] =
                "UPDATE pawl.leases SET until_ms = " NOW_MS " + ?4, lease_ms = ?4 "
                "WHERE {log AND} run_id = ?1 AND fence = ?2 AND held = 1",
        [PAWL__STMT_LEASE_RELEASE] = "UPDATE pawl.leases SET held = 0 "
                                     "WHERE {log AND} run_id = ?1 AND fence = ?2 AND held = 1",
        [PAWL__STMT_FENCE_STATE] =
                "SELECT applied_seq, (SELECT fence FROM pawl.runs WHERE {log AND} run_id = ?1) "
                "FROM pawl.logs WHERE {log AND} true",
        [PAWL__STMT_FENCE_EVENTS] =
                "SELECT max(CAST(CAST(payload AS json) ->> 'fence' AS bigint)) FROM pawl.events "
                "WHERE {log AND} seq > ?2 AND type = 'RunClaimed' AND run_id = ?1",
        [PAWL__STMT_MAC_PUT] = "INSERT INTO pawl.macs ({log_id,} seq, mac) VALUES ({log,} ?1, ?2)",
        [PAWL__STMT_MAC_GET] = "SELECT mac FROM pawl.macs WHERE {log AND} seq = ?1",
        [PAWL__STMT_MAC_RANGE] = "SELECT seq, mac FROM pawl.macs "
                                 "WHERE {log AND} seq > ?1 AND seq <= ?2 ORDER BY seq",
        [PAWL__STMT_MAC_END] = "SELECT coalesce((SELECT max(seq) FROM pawl.events "
                               "WHERE {log AND} true), 0), coalesce((SELECT max(seq) "
                               "FROM pawl.macs WHERE {log AND} true), 0)",
        [PAWL__STMT_KEY_TABLE] = "SELECT 1",
        [PAWL__STMT_KEY_GET] =
                "SELECT key_check FROM pawl.logs WHERE {log AND} key_check IS NOT NULL",
        [PAWL__STMT_KEY_PUT] = "UPDATE pawl.logs SET key_check = ?1 WHERE {log AND} head_seq = 0",
        [PAWL__STMT_PLACE] = "SELECT applied_seq, head_seq FROM pawl.logs WHERE {log AND} true",
        [PAWL__STMT_PLACE_PUT] = "UPDATE pawl.logs SET applied_seq = ?1 WHERE {log AND} true",
};
