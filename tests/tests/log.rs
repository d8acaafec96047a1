//! What goes wrong unexpectedly is for the log, with the identity of the request; secrets are not for it.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    wire::Wire,
};
use serde_json::json;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_the_reason_and_the_user_has_not() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).init();
    let wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    for (mood, reason, identity) in
        [("fail", "the secret reason in the log", "request-that-fails"), ("panic", "as told", "request-that-panics")]
    {
        let body = json!({
            "service_id": ids::LAB, "plan_id": ids::SMALL, "organization_guid": "o", "space_guid": "s",
            "parameters": { "mood": mood, "token": "marked-secret" },
        });
        let headers = [("X-Broker-API-Request-Identity", identity)];
        let reply = wire.send("PUT", "/v2/service_instances/i", &headers, Some(&body)).await;
        assert_eq!(reply.status, 500);
        assert!(reply.head.contains(identity), "HDR-05, T60");
        assert!(!reply.description().contains(reason), "{reply:?}");
        let log = String::from_utf8_lossy(&log.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
        let line = log.lines().find(|line| line.contains(reason)).unwrap_or_else(|| panic!("no reason in {log}"));
        assert!(line.contains(identity), "HDR-06: {line}");
        assert!(!log.contains("marked-secret"), "T68");
        let audited: Vec<&str> = log.lines().filter(|line| line.contains("osb_runtime::audit")).collect();
        for stage in ["began", "cleaning up", "failed"] {
            let stage = format!("\"{stage}\"");
            assert!(
                audited.iter().any(|line| line.contains(&stage) && line.contains(identity)),
                "{stage} in {audited:?}"
            );
        }
    }
}
