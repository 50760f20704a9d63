// Scenario D of base.cc, a lossy wire, with given losses and a row for every cut of the window (ns-3.37).
//   ./traced --scheme=newreno --lost=lost.txt --T=20 > newreno.csv
// A segment of the list, counted from zero, is lost when it is first sent. --acks=FILE gets a row for each ACK as well, and --rates=FILE
// each value of Westwood+'s estimate: the sample of a round trip, then what the filter makes of it.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
using namespace ns3;

static const uint32_t MSS = 1000;
static const double START = 1.0; // of the connection; rows count from here
static double Elapsed() { return Simulator::Now().GetSeconds() - START; }

/// What the trace sources of the socket said last.
struct Sender
{
    uint32_t cwnd = 0, ssthresh = 0, pipe = 0;
    double srtt = 0;
    TcpSocketState::TcpCongState_t state = TcpSocketState::CA_OPEN;
};
static Sender now, before; // after the last ACK, and after the one before
static FILE *acksFile = nullptr, *ratesFile = nullptr;

static const char* Name(TcpSocketState::TcpCongState_t s)
{
    static const char* names[] = {"open", "disorder", "cwr", "recovery", "loss"};
    return names[s];
}

/// All trace sources have spoken: the ACK is processed.
static void AfterAck(double t, uint32_t ack)
{
    if (acksFile)
        fprintf(acksFile, "%.6f,%u,%s,%.3f,%.3f,%u,%.3f\n", t, ack / MSS, Name(now.state), now.cwnd / 1e3, now.ssthresh / 1e3,
                now.pipe / MSS, now.srtt * 1e3);
    bool cut = now.state != before.state && (now.state == TcpSocketState::CA_RECOVERY || now.state == TcpSocketState::CA_LOSS);
    if (cut) printf("%.4f,%u,%s,%.3f,%.3f,%.3f\n", t, ack / MSS, Name(now.state), before.cwnd / 1e3, before.ssthresh / 1e3, now.ssthresh / 1e3);
    before = now;
}
static void OnSegment(Ptr<const Packet>, const TcpHeader& h, Ptr<const TcpSocketBase>)
{
    Simulator::ScheduleNow(&AfterAck, Elapsed(), h.GetAckNumber().GetValue() - 1);
}
static void OnCwnd(uint32_t, uint32_t v) { now.cwnd = v; }
static void OnSsthresh(uint32_t, uint32_t v) { now.ssthresh = v; }
static void OnPipe(uint32_t, uint32_t v) { now.pipe = v; }
static void OnState(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t v) { now.state = v; }
static void OnSrtt(Time, Time v) { now.srtt = v.GetSeconds(); }
static void OnRate(DataRate, DataRate v) { fprintf(ratesFile, "%.6f,%.0f\n", Elapsed(), v.GetBitRate() / 8.0); }

static void Watch(Ptr<BulkSendApplication> app)
{
    Ptr<Socket> s = app->GetSocket();
    s->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&OnCwnd));
    s->TraceConnectWithoutContext("SlowStartThreshold", MakeCallback(&OnSsthresh));
    s->TraceConnectWithoutContext("BytesInFlight", MakeCallback(&OnPipe));
    s->TraceConnectWithoutContext("CongState", MakeCallback(&OnState));
    s->TraceConnectWithoutContext("RTT", MakeCallback(&OnSrtt));
    s->TraceConnectWithoutContext("Rx", MakeCallback(&OnSegment));
    if (!ratesFile) return;
    PointerValue control;
    s->GetAttribute("CongestionOps", control);
    control.GetObject()->TraceConnectWithoutContext("EstimatedBW", MakeCallback(&OnRate));
}

/// Loses the first transmission of each segment of a list.
class FirstTransmissions : public ErrorModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId t = TypeId("FirstTransmissions").SetParent<ErrorModel>().AddConstructor<FirstTransmissions>();
        return t;
    }
    std::set<uint32_t> lost;

  private:
    bool DoCorrupt(Ptr<Packet> p) override
    {
        if (p->GetSize() < MSS) return false;
        Ptr<Packet> copy = p->Copy();
        PppHeader ppp; Ipv4Header ip; TcpHeader tcp;
        copy->RemoveHeader(ppp); copy->RemoveHeader(ip); copy->RemoveHeader(tcp);
        return lost.erase((tcp.GetSequenceNumber().GetValue() - 1) / MSS) > 0;
    }
    void DoReset() override {}
};

static FILE* Table(const std::string& path, const char* header)
{
    if (path.empty()) return nullptr;
    FILE* f = fopen(path.c_str(), "w");
    fprintf(f, "%s\n", header);
    return f;
}

int main(int argc, char** argv)
{
    std::string scheme = "newreno", lost, acks, rates; double T = 20; CommandLine c;
    c.AddValue("scheme", "newreno, linuxreno, vegas, veno or westwood+", scheme); c.AddValue("lost", "file with the segments to lose", lost);
    c.AddValue("T", "seconds", T); c.AddValue("acks", "", acks); c.AddValue("rates", "", rates);
    c.Parse(argc, argv);
    acksFile = Table(acks, "time_s,ack,state,cwnd,ssthresh,pipe,srtt_ms");
    ratesFile = Table(rates, "time_s,bytes_per_s");
    const std::map<std::string, std::string> types = {{"newreno", "ns3::TcpNewReno"}, {"vegas", "ns3::TcpVegas"}, {"veno", "ns3::TcpVeno"},
                                                      {"linuxreno", "ns3::TcpLinuxReno"}, {"westwood+", "ns3::TcpWestwood"}};
    if (scheme == "westwood+") Config::SetDefault("ns3::TcpWestwood::ProtocolType", StringValue("WestwoodPlus"));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName(types.at(scheme))));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(MSS));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 23));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 23));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));

    NodeContainer n; n.Create(2);
    PointToPointHelper p;
    p.SetDeviceAttribute("DataRate", StringValue("10Mbps")); p.SetChannelAttribute("Delay", StringValue("30ms"));
    p.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("50p"));
    NetDeviceContainer d = p.Install(n);
    Ptr<FirstTransmissions> errors = CreateObject<FirstTransmissions>();
    std::ifstream list(lost);
    for (uint32_t segment; list >> segment;) errors->lost.insert(segment);
    d.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    InternetStackHelper stack; stack.Install(n);
    Ipv4AddressHelper a; a.SetBase("10.0.0.0", "255.255.255.0"); Ipv4InterfaceContainer ends = a.Assign(d);
    TrafficControlHelper t; t.Uninstall(d); // the device's queue alone
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000)); sink.Install(n.Get(1)).Start(Seconds(0));
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(ends.GetAddress(1), 5000));
    bulk.SetAttribute("MaxBytes", UintegerValue(0)); bulk.SetAttribute("SendSize", UintegerValue(MSS));
    ApplicationContainer apps = bulk.Install(n.Get(0)); apps.Start(Seconds(START));
    Simulator::Schedule(Seconds(START) + NanoSeconds(1), &Watch, DynamicCast<BulkSendApplication>(apps.Get(0)));
    printf("time_s,segment,state,cwnd,ssthresh_before,ssthresh\n");
    Simulator::Stop(Seconds(START + T)); Simulator::Run(); Simulator::Destroy();
    return 0;
}
